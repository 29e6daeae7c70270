// SPDX-License-Identifier: MIT
#include "agent/worker/data/jpegdecoder.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio> // jpeglib.h needs FILE
#include <vector>

#include <jpeglib.h>

#include <jerror.h>

namespace ringside {

namespace {

constexpr long kMostMemory = 256L << 20; ///< bytes that libjpeg may hold; progressive pictures need all coefficients

/// Warnings after which pixels are made up. Others, such as bytes between segments, are common in good photographs.
bool meansDamage(int warning)
{
    return warning == JWRN_HIT_MARKER || warning == JWRN_JPEG_EOF || warning == JWRN_HUFF_BAD_CODE ||
           warning == JWRN_ARITH_BAD_CODE || warning == JWRN_MUST_RESYNC;
}

bool hasEndMarker(const std::uint8_t* begin, const std::uint8_t* end)
{
    static constexpr std::uint8_t kMarker[] = {0xff, JPEG_EOI}; // never part of entropy-coded data
    return std::find_end(begin, end, std::begin(kMarker), std::end(kMarker)) != end;
}

int reductionFor(const Rectangle& crop, int target)
{
    for (const int reduction : {8, 4, 2})
        if (crop.width >= target * reduction && crop.height >= target * reduction)
            return reduction;
    return 1;
}

/// Inks to light. Adobe's programs store inks inverted and say so by their marker.
void inksToRgb(const std::uint8_t* inks, bool inverted, std::uint8_t* rgb)
{
    const int flip = inverted ? 0 : 255;
    const int black = inks[3] ^ flip;
    for (int c = 0; c < 3; ++c)
        rgb[c] = std::uint8_t((inks[c] ^ flip) * black / 255);
}

std::uint8_t luminance(const std::uint8_t* rgb)
{
    return std::uint8_t((77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2]) >> 8);
}

} // namespace

struct JpegDecoder::State
{
    jpeg_decompress_struct picture{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf escape{};
    char message[JMSG_LENGTH_MAX] = {};
    std::vector<std::uint8_t> inks; ///< a row of a CMYK picture
    int channels = 3;

    State();
    ~State() { jpeg_destroy_decompress(&picture); }

    static State& of(j_common_ptr common) { return *static_cast<State*>(common->client_data); }
    [[noreturn]] static void leave(j_common_ptr common);
    static void warn(j_common_ptr common, int level);
    static void limitScans(j_common_ptr common);

    /// Runs calls of libjpeg; its errors come back here by longjmp. `calls` must hold nothing that needs a destructor.
    template <class Calls> Result<void> guard(Calls calls);
    void readHeader(std::span<const std::uint8_t> bytes);
    void start(int reduction, int channelCount);
    void cropTo(Rectangle& area);
    void convertInks(std::uint8_t* pixels) const;
};

JpegDecoder::State::State()
{
    picture.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&picture); // fails only for a library of another version, with libjpeg's own message
    errors.error_exit = leave;
    errors.emit_message = warn;
    errors.output_message = [](j_common_ptr) {};
    progress.progress_monitor = limitScans;
    picture.client_data = this;
    picture.progress = &progress;
    picture.mem->max_memory_to_use = kMostMemory;
}

void JpegDecoder::State::leave(j_common_ptr common)
{
    State& state = of(common);
    state.errors.format_message(common, state.message);
    std::longjmp(state.escape, 1);
}

void JpegDecoder::State::warn(j_common_ptr common, int level)
{
    if (level < 0 && meansDamage(common->err->msg_code))
        leave(common);
}

void JpegDecoder::State::limitScans(j_common_ptr common)
{
    State& state = of(common);
    if (!common->is_decompressor || state.picture.input_scan_number <= kMostScans)
        return;
    std::snprintf(state.message, sizeof state.message, "More than %d scans", kMostScans);
    std::longjmp(state.escape, 1);
}

template <class Calls> Result<void> JpegDecoder::State::guard(Calls calls)
{
    if (setjmp(escape)) {
        jpeg_abort_decompress(&picture);
        return fail(ErrorCode::damaged, message);
    }
    calls();
    return {};
}

void JpegDecoder::State::readHeader(std::span<const std::uint8_t> bytes)
{
    jpeg_mem_src(&picture, bytes.data(), bytes.size());
    jpeg_read_header(&picture, TRUE);
}

void JpegDecoder::State::start(int reduction, int channelCount)
{
    const bool hasInks = picture.jpeg_color_space == JCS_CMYK || picture.jpeg_color_space == JCS_YCCK;
    channels = channelCount;
    picture.out_color_space = hasInks ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_EXT_RGBX;
    picture.scale_num = 1;
    picture.scale_denom = unsigned(reduction);
    picture.do_fancy_upsampling = FALSE; // the resize that follows smooths anyway
    jpeg_start_decompress(&picture);
}

/// Widens `area` to what libjpeg can begin and end with, and goes to its first row.
void JpegDecoder::State::cropTo(Rectangle& area)
{
    JDIMENSION left = JDIMENSION(area.x);
    JDIMENSION width = JDIMENSION(area.width);
    jpeg_crop_scanline(&picture, &left, &width);
    area.x = int(left);
    area.width = int(width);
    if (area.y > 0)
        jpeg_skip_scanlines(&picture, JDIMENSION(area.y));
}

void JpegDecoder::State::convertInks(std::uint8_t* pixels) const
{
    std::uint8_t rgb[3];
    for (JDIMENSION x = 0; x < picture.output_width; ++x) {
        inksToRgb(inks.data() + 4 * x, picture.saw_Adobe_marker, rgb);
        if (channels == 1)
            pixels[x] = luminance(rgb);
        else
            std::copy_n(rgb, 3, pixels + bytesPerPixel(3) * x);
    }
}

JpegDecoder::JpegDecoder()
    : m_state(std::make_unique<State>())
{
}
JpegDecoder::~JpegDecoder() = default;

Result<PictureSize> JpegDecoder::open(std::span<const std::uint8_t> bytes)
{
    State& state = *m_state;
    jpeg_abort_decompress(&state.picture);
    TRY(state.guard([&] { state.readHeader(bytes); }));
    const jpeg_decompress_struct& picture = state.picture;
    if (std::int64_t(picture.image_width) * picture.image_height > kMostPixels)
        return fail(ErrorCode::damaged, fmt::format("{} × {} pixels are more than {} million.", picture.image_width,
                                                    picture.image_height, kMostPixels / 1'000'000));
    if (!hasEndMarker(picture.src->next_input_byte, bytes.data() + bytes.size()))
        return fail(ErrorCode::damaged, "The file is cut short.");
    return PictureSize{int(picture.image_width), int(picture.image_height)};
}

Result<DecodedPart> JpegDecoder::begin(const Rectangle& crop, int target, int channels)
{
    State& state = *m_state;
    const int reduction = reductionFor(crop, target);
    TRY(state.guard([&] { state.start(reduction, channels); }));
    const auto last = [&](int from, int size) { return (from + size + reduction - 1) / reduction; };
    DecodedPart part{reduction, {crop.x / reduction, crop.y / reduction, 0, 0}};
    part.area.width = std::min(last(crop.x, crop.width), int(state.picture.output_width)) - part.area.x;
    part.area.height = std::min(last(crop.y, crop.height), int(state.picture.output_height)) - part.area.y;
    TRY(state.guard([&] { state.cropTo(part.area); }));
    if (state.picture.out_color_space == JCS_CMYK)
        state.inks.resize(std::size_t(4) * part.area.width);
    return part;
}

Result<void> JpegDecoder::readRow(std::uint8_t* pixels)
{
    State& state = *m_state;
    const bool hasInks = state.picture.out_color_space == JCS_CMYK;
    JSAMPROW row = hasInks ? state.inks.data() : pixels;
    TRY(state.guard([&] { jpeg_read_scanlines(&state.picture, &row, 1); }));
    if (hasInks)
        state.convertInks(pixels);
    return {};
}

} // namespace ringside
