// SPDX-License-Identifier: MIT
#include "core/store/keptstatements.h"
#include "tests/store/storefixture.h"

#include <sqlite3.h>

using namespace ringside;
using namespace ringside::test;
using store::KeptStatements;

namespace {

const std::string kNumbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
                             "SELECT i FROM n";

int next(KeptStatements::Taken& statement)
{
    return statement->executeStep() ? statement->getColumn(0).getInt() : 0;
}

/// Returns how often the connection holds this statement.
int prepared(const StoreFixture& store, const std::string& sql)
{
    int count = 0;
    sqlite3* db = store.db.handle().getHandle();
    for (sqlite3_stmt* each = sqlite3_next_stmt(db, nullptr); each; each = sqlite3_next_stmt(db, each))
        count += sqlite3_sql(each) == sql ? 1 : 0;
    return count;
}

} // namespace

TEST_CASE("a statement that is taken again begins anew, and has none of the values it had")
{
    const StoreFixture store;
    const SQLite::Statement* first = nullptr;
    {
        auto statement = store.db.statements().take(kNumbers);
        first = statement.get();
        statement->bind(1, 3);
        REQUIRE(next(statement) == 1);
        REQUIRE(next(statement) == 2);
    }
    CHECK(prepared(store, kNumbers) == 1);
    auto statement = store.db.statements().take(kNumbers);
    CHECK(statement.get() == first); // it was not read again
    CHECK(next(statement) == 1);
    CHECK(next(statement) == 0); // nothing is below NULL
}

TEST_CASE("statements of one text that are taken within each other do not disturb each other")
{
    const StoreFixture store;
    auto outer = store.db.statements().take(kNumbers);
    outer->bind(1, 3);
    std::vector<int> seen;
    while (const int number = next(outer)) {
        auto inner = store.db.statements().take(kNumbers);
        inner->bind(1, number);
        while (const int below = next(inner))
            seen.push_back(10 * number + below);
    }
    CHECK(seen == std::vector{11, 21, 22, 31, 32, 33});
}

TEST_CASE("of two of one text one is kept, whichever ends first")
{
    const StoreFixture store;
    auto first = std::make_optional(store.db.statements().take(kNumbers));
    auto second = std::make_optional(store.db.statements().take(kNumbers));
    const SQLite::Statement* kept = nullptr;
    SUBCASE("the first")
    {
        kept = first->get();
        first.reset();
        second.reset();
    }
    SUBCASE("the second")
    {
        kept = second->get();
        second.reset();
        first.reset();
    }
    CHECK(prepared(store, kNumbers) == 1);
    CHECK(store.db.statements().take(kNumbers).get() == kept);
}

TEST_CASE("a statement that was read in part locks no other program out of the file")
{
    StoreFixture store;
    {
        auto statement = store.db.statements().take("SELECT number FROM runs ORDER BY number");
        REQUIRE(next(statement) == 1);
    }
    store.db.handle().exec("PRAGMA wal_checkpoint(TRUNCATE)"); // needs a log without readers
    CHECK(fs::file_size(store.path.string() + "-wal") == 0);
}

TEST_CASE("a statement that failed can be taken again")
{
    StoreFixture store;
    const std::string insert = "INSERT INTO experiments (name, repeats, changed_ns) VALUES (?1, 1, 1)";
    {
        auto statement = store.db.statements().take(insert);
        statement->bind(1, "first-light");
        CHECK_THROWS_AS(statement->exec(), SQLite::Exception);
    }
    auto statement = store.db.statements().take(insert);
    statement->bind(1, "second-light");
    CHECK(statement->exec() == 1);
}

TEST_CASE("a statement that is kept follows changes of the tables")
{
    StoreFixture store;
    const std::string insert = "INSERT INTO later DEFAULT VALUES";
    store.db.handle().exec("CREATE TABLE later (number INTEGER PRIMARY KEY)");
    store.db.statements().take(insert)->exec();
    store.db.handle().exec("ALTER TABLE later ADD COLUMN word TEXT DEFAULT 'new'");
    store.db.handle().exec("CREATE UNIQUE INDEX words ON later (word)");
    CHECK_THROWS_AS(store.db.statements().take(insert)->exec(), SQLite::Exception); // 'new' stands there already
    store.db.handle().exec("DELETE FROM later");
    CHECK(store.db.statements().take(insert)->exec() == 1);
}
