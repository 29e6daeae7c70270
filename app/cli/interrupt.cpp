// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <csignal>

namespace ringside::cli {

namespace {

std::atomic<bool> isInterrupted = false;

void onInterrupt(int)
{
    isInterrupted = true;
    std::signal(SIGINT, SIG_DFL);
}

} // namespace

void watchForInterrupt()
{
    std::signal(SIGINT, onInterrupt);
}

const std::atomic<bool>& interrupted()
{
    return isInterrupted;
}

} // namespace ringside::cli
