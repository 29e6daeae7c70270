// SPDX-License-Identifier: MIT
#pragma once

#include "core/wire/messages.h"

#include <vector>

namespace ringside::test {

/// One of every type that can be sent, with every field away from its default.
std::vector<wire::Message> exampleMessages();

} // namespace ringside::test
