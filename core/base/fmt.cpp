// SPDX-License-Identifier: MIT
// The functions of fmt 9, compiled once: header-only, every file that formats a text would compile them again, which is
// half of its time. (Debian has no static library of fmt, and ringside-agent is a static program.)
#include <fmt/format-inl.h>

// Instantiates what fmt's headers declare as instantiated elsewhere.
FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;

} // namespace detail
FMT_END_NAMESPACE
