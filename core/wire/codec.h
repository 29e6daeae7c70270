// SPDX-License-Identifier: MIT
// One message to the bytes of a Cap'n Proto message and back. Only this folder sees Cap'n Proto.
#pragma once

#include "core/base/error.h"
#include "core/wire/messages.h"

#include <string>
#include <string_view>

namespace ringside::wire {

/// Fails with usage for an UnknownMessage.
Result<std::string> encodeMessage(const Message& message);

/// Never more memory than a small multiple of `bytes`, whatever they are. Fails with damaged and names the field.
Result<Message> decodeMessage(std::string_view bytes);

} // namespace ringside::wire
