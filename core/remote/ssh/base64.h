// SPDX-License-Identifier: MIT
// Base64 as in public keys (RFC 4648, padded).
#pragma once

#include <string>
#include <string_view>

namespace ringside::ssh {

std::string toBase64(std::string_view bytes);
/// Stops at the first character that is none of base64.
std::string fromBase64(std::string_view text);

} // namespace ringside::ssh
