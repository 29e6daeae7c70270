// SPDX-License-Identifier: MIT
// The hatches of areas in figures. Each goes with a colour, so that areas differ in a grey print, too.
#pragma once

namespace ringside {

enum class Hatch
{
    none,
    forward,
    horizontal,
    backward,
    dots,
    vertical,
    crossed
};

} // namespace ringside
