// SPDX-License-Identifier: MIT
// A system of a few lines as a Python package, and its table.
#pragma once

#include "core/base/files.h"

#include <string>

namespace ringside::test {

/// Ends within [install], so that a case can add to it.
inline constexpr const char* kTinyTable = R"(format = 1
name = "tiny"
title = "Tiny"
licence = "MIT"
versions = ">=1, <2"
settings = []
[launch]
command = ["{python}", "-m", "tinysystem", "{drivers}", "{iterations}", "{ranks}", "{batch_per_rank}"]
[launch.role_environment.rank]
TINY_RANK = "{rank}"
TINY_HOST = "{first_address}"
TINY_PORT = "{first_port}"
[install]
module = "tinysystem"
packages = ["tinysystem==1.4.0"]
needs = ["libtiny-dev"]
megabytes = 40
seconds = 20
from = "this test"
)";

enum class TinyPackage
{
    wheel,
    source ///< compiled by pip, which takes as long as the file `hold` is there
};

/// tinysystem, made by python3, which the test needs anyway. False if it could not be.
bool makeTinyPackage(const fs::path& folder, TinyPackage kind, const fs::path& hold = {},
                     const std::string& version = "1.4.0");

} // namespace ringside::test
