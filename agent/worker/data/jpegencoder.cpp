// SPDX-License-Identifier: MIT
#include "agent/worker/data/jpegencoder.h"

#include <csetjmp>
#include <cstdio> // jpeglib.h needs FILE
#include <cstdlib>

#include <jpeglib.h>

namespace ringside {

struct JpegEncoder::State
{
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    std::jmp_buf escape{};
    char message[JMSG_LENGTH_MAX] = {};
    unsigned char* bytes = nullptr; ///< from malloc
    unsigned long size = 0;
    int quality;

    explicit State(int q);
    ~State();

    [[noreturn]] static void leave(j_common_ptr common);
    void compress(const YccPicture& picture);
};

JpegEncoder::State::State(int q)
    : quality(q)
{
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg); // as in JpegDecoder
    errors.error_exit = leave;
    errors.output_message = [](j_common_ptr) {};
    jpeg.client_data = this;
}

JpegEncoder::State::~State()
{
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
}

void JpegEncoder::State::leave(j_common_ptr common)
{
    State& state = *static_cast<State*>(common->client_data);
    state.errors.format_message(common, state.message);
    std::longjmp(state.escape, 1);
}

void JpegEncoder::State::compress(const YccPicture& picture)
{
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = JDIMENSION(picture.width);
    jpeg.image_height = JDIMENSION(picture.height);
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_YCbCr;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        auto* row = const_cast<JSAMPROW>(picture.pixels.data()) + std::size_t(3) * picture.width * jpeg.next_scanline;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
}

JpegEncoder::JpegEncoder(int quality)
    : m_state(std::make_unique<State>(quality))
{
}
JpegEncoder::~JpegEncoder() = default;

Result<std::string_view> JpegEncoder::encode(const YccPicture& picture)
{
    State& state = *m_state;
    std::free(state.bytes);
    state.bytes = nullptr;
    state.size = 0;
    if (setjmp(state.escape)) {
        jpeg_abort_compress(&state.jpeg);
        return fail(ErrorCode::internal, fmt::format("A picture could not be written as JPEG: {}.", state.message));
    }
    state.compress(picture);
    return std::string_view(reinterpret_cast<const char*>(state.bytes), state.size);
}

} // namespace ringside
