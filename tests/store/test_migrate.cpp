// SPDX-License-Identifier: MIT
#include "core/store/migrate.h"
#include "core/store/schema.h"
#include "tests/store/storefixture.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("a migration happens once, after a copy; one that fails changes nothing")
{
    StoreFixture store;
    SQLite::Database& db = store.db.handle();
    std::vector<const char*> steps(store::migrations().begin(), store::migrations().end());
    const int before = store::currentSchema();

    steps.push_back("ALTER TABLE runs ADD COLUMN colour TEXT; UPDATE runs SET nonsense = 1;");
    CHECK(!store::migrate(db, store.path, steps));
    CHECK(db.execAndGet("PRAGMA user_version").getInt() == before);
    CHECK_THROWS(db.exec("SELECT colour FROM runs"));

    steps.back() = "ALTER TABLE runs ADD COLUMN colour TEXT;";
    must(store::migrate(db, store.path, steps));
    CHECK(db.execAndGet("PRAGMA user_version").getInt() == before + 1);
    db.exec("SELECT colour FROM runs");
    const fs::path copy = store::migrationCopy(store.path, before);
    CHECK((fs::status(copy).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
    SQLite::Database old(copy.string(), SQLite::OPEN_READONLY);
    CHECK(old.execAndGet("PRAGMA user_version").getInt() == before);
    CHECK(old.execAndGet("SELECT count(*) FROM runs").getInt() == 2);

    fs::remove(copy);
    must(store::migrate(db, store.path, steps));
    CHECK(!fs::exists(copy));
}
