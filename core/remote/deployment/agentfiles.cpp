// SPDX-License-Identifier: MIT
#include "core/remote/deployment/agentfiles.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace ringside::deployment {

namespace {

constexpr std::size_t kHeaderBytes = 20; // through e_machine

/// elf(5), e_ident: class, byte order. e_machine, and what `uname -m` says there.
struct Machine
{
    int number;
    bool bits64;
    bool littleEndian;
    const char* name;
};
constexpr std::array<Machine, 6> kMachines{{{62, true, true, "x86_64"},
                                            {183, true, true, "aarch64"},
                                            {21, true, true, "ppc64le"},
                                            {22, true, false, "s390x"},
                                            {243, true, true, "riscv64"},
                                            {258, true, true, "loongarch64"}}};

int machineNumber(std::string_view header, bool littleEndian)
{
    const int low = static_cast<unsigned char>(header[littleEndian ? 18 : 19]);
    const int high = static_cast<unsigned char>(header[littleEndian ? 19 : 18]);
    return high << 8 | low;
}

std::string headerOf(const fs::path& path)
{
    std::string header(kHeaderBytes, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(header.data(), static_cast<std::streamsize>(header.size()));
    header.resize(static_cast<std::size_t>(file.gcount()));
    return header;
}

} // namespace

std::string systemOf(std::string_view elfHeader)
{
    if (elfHeader.size() < kHeaderBytes || !elfHeader.starts_with("\x7f"
                                                                  "ELF"))
        return {};
    const bool bits64 = elfHeader[4] == 2;
    const bool littleEndian = elfHeader[5] == 1;
    const int number = machineNumber(elfHeader, littleEndian);
    const auto machine = std::ranges::find_if(kMachines, [&](const Machine& known) {
        return known.number == number && known.bits64 == bits64 && known.littleEndian == littleEndian;
    });
    return machine == kMachines.end() ? std::string() : std::string("linux-") + machine->name;
}

std::vector<AgentFile> agentsIn(const fs::path& folder)
{
    constexpr std::string_view kName = "ringside-agent";
    std::vector<AgentFile> agents;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const bool isNamed = name == kName || name.starts_with(std::string(kName) + "-");
        if (!isNamed || !entry.is_regular_file(ignored))
            continue;
        if (std::string system = systemOf(headerOf(entry.path())); !system.empty())
            agents.push_back({entry.path(), std::move(system)});
    }
    std::ranges::sort(agents, {}, &AgentFile::path);
    return agents;
}

} // namespace ringside::deployment
