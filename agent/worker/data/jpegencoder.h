// SPDX-License-Identifier: MIT
#pragma once

#include "agent/worker/data/picturemaker.h"
#include "core/base/error.h"

#include <memory>
#include <string_view>

namespace ringside {

/// Writes JPEG as cameras do: baseline, 4:2:0. One object per thread, used again and again.
class JpegEncoder
{
public:
    explicit JpegEncoder(int quality);
    ~JpegEncoder();
    JpegEncoder(const JpegEncoder&) = delete;
    JpegEncoder& operator=(const JpegEncoder&) = delete;

    /// The file's bytes, valid until the next call. Fails with internal and libjpeg's reason.
    Result<std::string_view> encode(const YccPicture& picture);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace ringside
