// SPDX-License-Identifier: MIT
#include "core/store/keptstatements.h"

namespace ringside::store {

KeptStatements::Taken KeptStatements::take(const std::string& sql)
{
    Place& place = m_places[sql];
    Place taken = place ? std::move(place) : std::make_unique<SQLite::Statement>(m_db, sql);
    return Taken(taken.release(), GiveBack{&place});
}

void KeptStatements::GiveBack::operator()(SQLite::Statement* statement) const
{
    Place back(statement);
    if (*place)
        return;       // the other one of this text was returned before
    back->tryReset(); // what it says was thrown when it was asked
    back->clearBindings();
    *place = std::move(back);
}

} // namespace ringside::store
