// SPDX-License-Identifier: MIT
#include "core/logs/format.h"

namespace ringside::logs {

std::string_view nameOf(Meaning meaning)
{
    switch (meaning) {
    case Meaning::interval:
        return "interval";
    case Meaning::iteration:
        return "iteration";
    case Meaning::mean:
        return "mean";
    case Meaning::epoch:
        return "epoch";
    case Meaning::summary:
        return "summary";
    case Meaning::context:
        return "context";
    case Meaning::start:
        return "start";
    case Meaning::test:
        return "test";
    }
    return {};
}

std::string_view nameOf(Scope scope)
{
    return scope == Scope::rank ? "rank" : scope == Scope::node ? "node" : "all";
}

} // namespace ringside::logs
