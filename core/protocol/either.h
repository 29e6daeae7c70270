// SPDX-License-Identifier: MIT
// For functions that name the fields of a value once, for reading and for writing:
//   void fieldsOf(auto& archive, Either<Sample> auto& sample)
#pragma once

#include <type_traits>

namespace ringside {

/// Value, or const Value.
template <class T, class Value>
concept Either = std::is_same_v<std::remove_const_t<T>, Value>;

} // namespace ringside
