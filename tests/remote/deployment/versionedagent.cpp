// SPDX-License-Identifier: MIT
// usage: versionedagent-MIN-MAX relay …   A relay that speaks protocol MIN to MAX, as its own name says, and no more.
#include "core/wire/frames.h"

#include <cstdio>
#include <cstdlib>

using namespace ringside;

int main(int, char** argv)
{
    const std::string name = argv[0];
    const auto last = name.rfind('-');
    const auto first = last == std::string::npos ? last : name.rfind('-', last - 1);
    if (first == std::string::npos)
        return 2;
    wire::Hello hello;
    hello.protocolMin = static_cast<std::uint32_t>(std::atoi(name.c_str() + first + 1));
    hello.protocolMax = static_cast<std::uint32_t>(std::atoi(name.c_str() + last + 1));
    hello.version = "9.9.9";
    wire::FrameWriter writer;
    const auto bytes = writer.write(hello);
    std::fwrite(bytes->data(), 1, bytes->size(), stdout);
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
}
