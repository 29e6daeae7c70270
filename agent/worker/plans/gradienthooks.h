// SPDX-License-Identifier: MIT
// Notifies an aggregator when a gradient is complete.
#pragma once

#include "agent/worker/plans/aggregator.h"

namespace ringside {

/// Calls Aggregator::ready from backward as long as it lives. One for each set of parameters at a time.
class GradientHooks
{
public:
    GradientHooks(const std::vector<Parameter>& parameters, Aggregator& aggregator);
    ~GradientHooks();
    GradientHooks(const GradientHooks&) = delete;
    GradientHooks& operator=(const GradientHooks&) = delete;

private:
    const std::vector<Parameter>& m_parameters;
};

/// Sets every `.grad` to undefined. The next backward then hands its own tensors over, without adding and without a
/// copy; zeroing them instead costs three more passes over the memory of all gradients.
void releaseGradients(const std::vector<Parameter>& parameters);

} // namespace ringside
