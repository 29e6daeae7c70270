// SPDX-License-Identifier: MIT
// SQL that names every phase, made from their list (core/protocol/phase.h): each phase is a column, "forward_ns".
#pragma once

#include <string>
#include <string_view>

namespace ringside::store {

/// The pattern once for each phase, in their order, "{}" replaced by its column: "s.{}" becomes "s.input_wait_ns, …".
std::string forEachPhase(std::string_view pattern, std::string_view separator = ", ");

/// The phases that each of the samples named `table` reports: an aggregate; NULL where all of them report all.
std::string toldByAll(std::string_view table);

/// An iteration's length: the phases' sum, of the samples named `table`.
std::string lengthOf(std::string_view table);
/// The first iteration that a sample covers, of the samples named `table`.
std::string firstOf(std::string_view table);
/// An iteration's end, of the samples named `table`.
std::string endOf(std::string_view table);

} // namespace ringside::store
