// SPDX-License-Identifier: MIT
// The reason of a run whose program ended well before it was through, beside the codes of reason.h.
#pragma once

#include <string_view>

namespace ringside::why {

/// program, iterations, asked: by the numbers in its own records; cut_records (1): the last of them broke off
inline constexpr std::string_view kEndedEarly = "ended_early";

} // namespace ringside::why
