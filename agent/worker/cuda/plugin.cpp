// SPDX-License-Identifier: MIT
#include "agent/worker/cuda/plugin.h"

#include "agent/worker/cuda/ncclgroup.h"

namespace ringside::cuda {

namespace {

class NcclPlugin : public Plugin
{
public:
    explicit NcclPlugin(std::shared_ptr<const NcclLibrary> nccl)
        : m_nccl(std::move(nccl))
    {
    }
    ~NcclPlugin() override
    {
        if (m_shared.stream)
            cudaStreamDestroy(m_shared.stream);
    }

    Result<Device> use(int index) override
    {
        TRY(check(cudaSetDevice(index), "cudaSetDevice"));
        cudaDeviceProp properties{};
        TRY(check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties"));
        char bus[32] = {};
        TRY(check(cudaDeviceGetPCIBusId(bus, sizeof bus, index), "cudaDeviceGetPCIBusId"));
        TRY(check(cudaStreamCreateWithFlags(&m_shared.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"));
        m_shared.device = index;
        return Device{index, properties.name, bus};
    }
    void* stream() const override { return m_shared.stream; }
    bool isOnDevice(const void* memory) const override { return cuda::isOnDevice(memory); }
    std::string nccl() const override { return m_nccl->text; }
    Result<GroupId> newGroup() override
    {
        ncclUniqueId unique{};
        if (const ncclResult_t code = m_nccl->getUniqueId(&unique); code != ncclSuccess)
            return fail(ErrorCode::unavailable,
                        fmt::format("ncclGetUniqueId failed: {} ({}).", m_nccl->getErrorString(code),
                                    m_nccl->getLastError(nullptr)));
        GroupId id{};
        std::memcpy(id.data(), unique.internal, id.size());
        return id;
    }
    Result<std::unique_ptr<DeviceGroup>> join(const GroupPlace& place) override
    {
        return NcclGroup::join(m_nccl, m_shared, place);
    }

private:
    std::shared_ptr<const NcclLibrary> m_nccl;
    SharedStream m_shared;
};

Result<std::unique_ptr<Plugin>> makePlugin()
{
    TRY_ASSIGN(auto nccl, NcclLibrary::load());
    return std::make_unique<NcclPlugin>(std::move(nccl));
}

} // namespace

} // namespace ringside::cuda

extern "C" {
extern __attribute__((visibility("default"))) const ringside::cuda::PluginEntry ringsideCudaPlugin;
const ringside::cuda::PluginEntry ringsideCudaPlugin = {ringside::cuda::kInterface, RINGSIDE_VERSION,
                                                        ringside::cuda::makePlugin};
}
