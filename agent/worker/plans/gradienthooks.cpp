// SPDX-License-Identifier: MIT
#include "agent/worker/plans/gradienthooks.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace ringside {

namespace {

class ReadyHook : public torch::autograd::PostAccumulateGradHook
{
public:
    ReadyHook(Aggregator& aggregator, std::size_t tensor)
        : m_aggregator(aggregator)
        , m_tensor(tensor)
    {
    }
    void operator()(const at::Tensor&) override { m_aggregator.ready(m_tensor); }

private:
    Aggregator& m_aggregator;
    std::size_t m_tensor;
};

} // namespace

GradientHooks::GradientHooks(const std::vector<Parameter>& parameters, Aggregator& aggregator)
    : m_parameters(parameters)
{
    for (std::size_t tensor = 0; tensor < parameters.size(); ++tensor)
        torch::autograd::impl::set_post_acc_grad_hooks(parameters[tensor].value,
                                                       std::make_unique<ReadyHook>(aggregator, tensor));
}

GradientHooks::~GradientHooks()
{
    for (const auto& parameter : m_parameters)
        torch::autograd::impl::set_post_acc_grad_hooks(parameter.value, nullptr);
}

void releaseGradients(const std::vector<Parameter>& parameters)
{
    for (const auto& parameter : parameters)
        parameter.value.mutable_grad().reset();
}

} // namespace ringside
