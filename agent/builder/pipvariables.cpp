// SPDX-License-Identifier: MIT
#include "agent/builder/pipvariables.h"

#include <cstdlib>

namespace ringside::builder {

namespace {

void put(const std::string& name, const std::optional<std::string>& value)
{
    if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
    else
        ::unsetenv(name.c_str());
}

} // namespace

PipVariables::PipVariables(const fs::path& folder)
{
    set("TMPDIR", (folder / kTemporary).string());
    set("PIP_CACHE_DIR", (folder / kCache).string());
    set("XDG_CACHE_HOME", (folder / kCache).string());
    set("PIP_USER", "0"); // not just no value: a file may say it, and wins over none
    for (const char* elsewhere : {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"})
        set(elsewhere, std::nullopt);
}

PipVariables::~PipVariables()
{
    for (const auto& [name, value] : m_before)
        put(name, value);
}

void PipVariables::set(const char* name, const std::optional<std::string>& value)
{
    const char* before = std::getenv(name);
    m_before.emplace(name, before ? std::optional<std::string>(before) : std::nullopt);
    put(name, value);
}

} // namespace ringside::builder
