// SPDX-License-Identifier: MIT
// The forms in which a table is copied and printed. Each is a function and a row in the table of tableforms.cpp; the
// menus of the window and `compare --as` offer what is there, in its order. Pure; any thread.
#pragma once

#include "core/report/table.h"

#include <span>
#include <string>
#include <string_view>

namespace ringside::report {

struct TableForm
{
    std::string_view name; ///< as command lines have it: "tsv"
    const char* action;    ///< the window's, marked for translation, with its mnemonic: "Copy t&able"
    std::string (*write)(const Table& table);
};

/// All of them. The first is what Ctrl+C copies.
std::span<const TableForm> tableForms();
/// nullptr: there is none of this name.
const TableForm* findTableForm(std::string_view name);

} // namespace ringside::report
