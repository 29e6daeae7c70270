// SPDX-License-Identifier: MIT
// In place of tests/support/main.cpp: the program ends as the worker does. Where it is taken down in the usual way,
// libtorch 2.11 with its CUDA part aborts (“free(): invalid pointer”), after the last test.
#define DOCTEST_CONFIG_IMPLEMENT
#include "agent/worker/endprocess.h"

#include <cstdlib>
#include <doctest/doctest.h>

int main(int argc, char** argv)
{
    setenv("RINGSIDE_CANARY", "none", 0); // two seconds of every attempt, which few tests are about
    ringside::endProcess(doctest::Context(argc, argv).run());
}
