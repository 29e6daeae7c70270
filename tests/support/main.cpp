// SPDX-License-Identifier: MIT
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <doctest/doctest.h>

int main(int argc, char** argv)
{
    setenv("RINGSIDE_CANARY", "none", 0); // two seconds of every attempt, which few tests are about
    return doctest::Context(argc, argv).run();
}
