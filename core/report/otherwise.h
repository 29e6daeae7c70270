// SPDX-License-Identifier: MIT
// Inside core/report: whether a result depends on its disturbed runs.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// Sets Group::otherwise from the same comparison with the other choice about disturbed runs.
void addOtherwise(Comparison& comparison, const Comparison& other);

} // namespace ringside::report
