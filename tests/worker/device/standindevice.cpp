// SPDX-License-Identifier: MIT
#include "tests/worker/device/standindevice.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/detail/HPUHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <atomic>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

// Functions of the stand-in for CUDA's runtime (tests/worker/collectives/standin/cudart.h); null if it is not in the
// process.
extern "C" {
[[gnu::weak]] void standinHasMemory(const void* memory, std::size_t bytes);
[[gnu::weak]] void standinHadMemory(void* memory);
[[gnu::weak]] std::uint64_t standinCopiedBytes();
}

namespace ringside::test {

namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::HPU);

std::atomic<std::uint64_t> copiedBytes{0};

void giveBack(void* data)
{
    if (standinHadMemory && data)
        standinHadMemory(data); // filled with not-a-numbers
    c10::free_cpu(data);
}

class Memory : public c10::Allocator
{
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        void* data = c10::alloc_cpu(bytes);
        if (standinHasMemory && data)
            standinHasMemory(data, bytes);
        return {data, data, &giveBack, c10::Device(kStandIn, 0)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &giveBack; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
};

Memory memory;

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                 std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format)
{
    return at::detail::empty_generic(sizes, &memory, kKeys, type.value_or(at::kFloat), format);
}

at::Tensor emptyStrided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                        std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>)
{
    return at::detail::empty_strided_generic(sizes, strides, &memory, kKeys, type.value_or(at::kFloat));
}

/// The same memory as the CPU sees it.
at::Tensor onHost(const at::Tensor& tensor)
{
    if (!tensor.defined() || tensor.is_cpu())
        return tensor.detach();
    return at::from_blob(const_cast<void*>(tensor.const_data_ptr()), tensor.sizes(), tensor.strides(),
                         at::TensorOptions(tensor.scalar_type()));
}

/// While this thread is inside an operation, which computes at once and leaves its results late.
class Operation
{
public:
    Operation()
        : m_before(std::exchange(s_isRunning, true))
    {
    }
    ~Operation() { s_isRunning = m_before; }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    static bool isRunning() { return s_isRunning; }

private:
    inline static thread_local bool s_isRunning = false;
    bool m_before;
};

/// Returns whether a copy that may block does: it does not inside the device.
bool isAwaited(const at::Tensor& from, const at::Tensor& to)
{
    return to.is_cpu() || (from.is_cpu() && !Operation::isRunning());
}

at::Tensor copyFrom(const at::Tensor& from, const at::Tensor& to, bool nonBlocking)
{
    if (from.is_cpu() != to.is_cpu() && !Operation::isRunning())
        copiedBytes += from.nbytes();
    enqueueHere([from, to] {
        const at::NoGradGuard noGraph;
        onHost(to).copy_(onHost(from));
    });
    if (!nonBlocking && isAwaited(from, to))
        finishHere();
    return to;
}

at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to)
{
    return copyFrom(from, to, false);
}

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                    at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                    at::IntArrayRef outputPadding, std::int64_t groups)
{
    const Operation operation;
    failIfTold("compute");
    finishHere();
    const auto hostBias = bias && bias->defined() ? std::optional(onHost(*bias)) : std::nullopt;
    return at::convolution(onHost(x), onHost(weight), hostBias, stride, padding, dilation, transposed, outputPadding,
                           groups)
        .to(x.device());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolveBackward(const at::Tensor& gradient, const at::Tensor& x,
                                                                const at::Tensor& weight, at::IntArrayRef stride,
                                                                at::IntArrayRef padding, at::IntArrayRef dilation,
                                                                bool transposed, at::IntArrayRef outputPadding,
                                                                std::int64_t groups, std::array<bool, 3> wanted)
{
    const Operation operation;
    finishHere();
    const std::int64_t outputs[] = {weight.size(0)};
    auto [ofX, ofWeight, ofBias] =
        at::convolution_backward(onHost(gradient), onHost(x), onHost(weight), at::OptionalIntArrayRef(outputs), stride,
                                 padding, dilation, transposed, outputPadding, groups, wanted);
    const auto back = [&](const at::Tensor& tensor) { return tensor.defined() ? tensor.to(x.device()) : tensor; };
    return {back(ofX), back(ofWeight), back(ofBias)};
}

/// Returns an argument of an operation with `convert` applied to each tensor, and with this device if it names one.
template <class Convert> c10::IValue converted(const c10::IValue& value, c10::Device device, const Convert& convert)
{
    if (value.isTensor())
        return convert(value.toTensor());
    if (value.isDevice())
        return device;
    if (!value.isTensorList())
        return value;
    std::vector<at::Tensor> tensors;
    for (const at::Tensor& tensor : value.toTensorVector())
        tensors.push_back(convert(tensor));
    return tensors;
}

template <class Convert>
torch::jit::Stack results(const c10::OperatorHandle& operation, const torch::jit::Stack& given, c10::Device device,
                          const Convert& convert)
{
    torch::jit::Stack stack;
    for (const c10::IValue& value : given)
        stack.push_back(converted(value, device, convert));
    operation.callBoxed(stack);
    return stack;
}

at::Tensor zerosLike(const at::Tensor& tensor)
{
    return tensor.defined() ? at::empty_strided(tensor.sizes(), tensor.strides(), tensor.scalar_type()).zero_()
                            : tensor;
}

/// Returns which of the arguments is returned, if one is: operations in place do that, and those that are given a place
/// for their result.
std::optional<std::size_t> argumentReturned(const c10::FunctionSchema& schema, std::size_t result)
{
    const c10::AliasInfo* alias = schema.returns()[result].alias_info();
    for (std::size_t i = 0; alias && i < schema.arguments().size(); ++i)
        if (const c10::AliasInfo* of = schema.arguments()[i].alias_info();
            of && of->beforeSets() == alias->beforeSets())
            return i;
    return {};
}

at::Tensor emptyLike(const at::Tensor& shape)
{
    return emptyStrided(shape.sizes(), shape.strides(), shape.scalar_type(), {}, {}, {});
}

/// The tensor for the result of an operation may be empty before.
void resizeAs(const at::Tensor& shape, const at::Tensor& tensor)
{
    tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(emptyLike(shape).storage());
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(shape.sizes(), shape.strides());
}

/// As a GPU does it: all of it later. How large results are is found out with zeros.
void onCpuLater(const c10::OperatorHandle& operation, torch::jit::Stack* stack)
{
    const at::NoGradGuard noGraph;
    const auto& schema = operation.schema();
    const auto first = stack->end() - static_cast<std::ptrdiff_t>(schema.arguments().size());
    const torch::jit::Stack given(first, stack->end());
    stack->erase(first, stack->end());
    const torch::jit::Stack shapes = results(operation, given, at::kCPU, zerosLike);
    std::vector<std::pair<std::size_t, at::Tensor>> fresh;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const at::Tensor& shape = shapes[i].toTensor();
        const auto returned = argumentReturned(schema, i);
        if (!returned)
            fresh.emplace_back(i, emptyLike(shape));
        else if (given[*returned].toTensor().sizes() != shape.sizes())
            resizeAs(shape, given[*returned].toTensor());
        stack->push_back(returned ? given[*returned] : fresh.back().second);
    }
    enqueueHere([operation, given, fresh] {
        const at::NoGradGuard noGraphThere;
        const torch::jit::Stack computed = results(operation, given, at::kCPU, onHost);
        for (const auto& [i, result] : fresh)
            onHost(result).copy_(computed[i].toTensor());
    });
}

void onCpu(const c10::OperatorHandle& operation, torch::jit::Stack* stack)
{
    if (isWorkedOffElsewhere())
        return onCpuLater(operation, stack);
    const Operation running;
    at::native::cpu_fallback(operation, stack);
}

struct Hooks : at::HPUHooksInterface
{
    explicit Hooks(at::HPUHooksArgs) {}
    void init() const override {}
    bool hasHPU() const override { return true; }
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::DeviceIndex deviceCount() const override { return 1; }
    c10::DeviceIndex getCurrentDevice() const override { return 0; }
    c10::Allocator* getPinnedMemoryAllocator() const override { return c10::GetCPUAllocator(); }
    c10::Device getDeviceFromPtr(void*) const override { return {kStandIn, 0}; }
    const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override
    {
        return at::detail::getDefaultCPUGenerator();
    }
};

} // namespace

void installStandInDevice(Pace pace)
{
    static torch::Library everything(torch::Library::IMPL, "_", c10::DispatchKey::HPU, __FILE__, __LINE__);
    everything.fallback(torch::CppFunction::makeFromBoxedFunction<&onCpu>());
    static torch::Library own(torch::Library::IMPL, "aten", c10::DispatchKey::HPU, __FILE__, __LINE__);
    own.impl("empty.memory_format", &empty);
    own.impl("empty_strided", &emptyStrided);
    own.impl("as_strided", &at::native::as_strided_tensorimpl);
    own.impl("view", static_cast<at::Tensor (*)(const at::Tensor&, at::IntArrayRef)>(&at::native::view));
    own.impl("_reshape_alias", &at::native::_reshape_alias);
    own.impl("topk", torch::CppFunction::makeFromBoxedFunction<&onCpu>()); // not by its form with two results to fill
    own.impl("_copy_from", &copyFrom);
    own.impl("_copy_from_and_resize", &copyFromAndResize);
    own.impl("convolution_overrideable", &convolve);
    own.impl("convolution_backward_overrideable", &convolveBackward);
    installStandInStreams(pace);
}

std::uint64_t bytesOverTheBus()
{
    return copiedBytes + (standinCopiedBytes ? standinCopiedBytes() : 0);
}

} // namespace ringside::test

namespace at {
using StandInHooks = ringside::test::Hooks;
C10_REGISTER_CLASS(HPUHooksRegistry, HPUHooks, StandInHooks)
} // namespace at
