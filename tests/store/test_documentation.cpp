// SPDX-License-Identifier: MIT
// STORE.md is for people who read the file without Ringside: its statements have to work, its tables have to be there.
#include "core/store/summaries.h"
#include "tests/store/storefixture.h"
#include "tests/support/built.h"
#include "tests/support/privileges.h"

#include <cstdlib>
#include <sstream>

using namespace ringside;
using namespace ringside::test;

namespace {

std::string documentation()
{
    return must(readFile(sourceFolder() / "core/store/STORE.md"));
}

std::vector<std::string> statementsIn(const std::string& text)
{
    std::vector<std::string> statements;
    for (std::size_t at = text.find("```sql"); at != std::string::npos; at = text.find("```sql", at)) {
        const std::size_t begin = at + 6, end = text.find("```", begin);
        statements.push_back(text.substr(begin, end - begin));
        at = end + 3;
    }
    return statements;
}

} // namespace

TEST_CASE("every statement of STORE.md works and finds something")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    campaign::RunChange failure = store.change(1, 1, RunState::failed, kStart + 9, Cause::lostRank);
    failure.reason = because(why::kSilent, {{"rank", 1}, {"seconds", 30}});
    must(ingest.drain({store.samples(0, 0, 0, 10, 100), store.change(0, 1, RunState::starting, kStart),
                       store.change(0, 1, RunState::done, kStart + 9), failure}));
    must(store::refreshSummaries(store.db));
    const auto reader = must(store::Database::openForReading(store.path));
    const auto statements = statementsIn(documentation());
    REQUIRE(statements.size() >= 3);
    for (const std::string& sql : statements) {
        CAPTURE(sql);
        SQLite::Statement query(reader.handle(), sql);
        CHECK(query.executeStep());
    }
}

TEST_CASE("a database in a folder that takes no files is read as STORE.md says")
{
    const TemporaryFolder folder;
    (void)must(store::Database::openForWriting(folder / "lab.db")); // in WAL mode, and nothing in its log
    fs::permissions(folder / "lab.db", fs::perms(0444));
    fs::permissions(folder.path(), fs::perms(0555));
    const std::string text = documentation();
    const std::size_t end = text.find("\n```", text.find("immutable=1")), begin = text.rfind("```sh\n", end) + 6;
    const std::string recipe = text.substr(begin, end - begin);
    CAPTURE(recipe);
    const auto succeeds = [&](const std::string& command) {
        return withoutPrivileges([&] {
            const std::string line = "cd '" + folder.path().string() + "' && " + command + " >/dev/null 2>&1";
            return std::system(line.c_str()) == 0;
        });
    };
    CHECK(succeeds(recipe));
    CHECK_FALSE(succeeds("sqlite3 -readonly lab.db 'SELECT * FROM v_runs'")); // or the recipe need not be there
    fs::permissions(folder.path(), fs::perms(0700));
}

TEST_CASE("STORE.md names every table, view and column")
{
    StoreFixture store;
    const std::string text = documentation();
    SQLite::Statement query(store.db.handle(),
                            "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                            "WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'");
    int columns = 0;
    while (query.executeStep()) {
        const std::string table = query.getColumn(0), column = query.getColumn(1);
        CHECK_MESSAGE(text.find("`" + table + "`") != std::string::npos, table);
        CHECK_MESSAGE(text.find("`" + column + "`") != std::string::npos, table << "." << column);
        ++columns;
    }
    CHECK(columns > 100);
}

TEST_CASE("STORE.md says which schema it describes")
{
    StoreFixture store;
    const int version = store.db.handle().execAndGet("PRAGMA user_version").getInt();
    CHECK(documentation().find("schema, now " + std::to_string(version) + ")") != std::string::npos);
}
