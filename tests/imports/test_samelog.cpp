// SPDX-License-Identifier: MIT
// Logs that the store has already, by other bytes.
#include "core/imports/importing.h"
#include "core/store/imports.h"
#include "core/store/queries.h"
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;

namespace {

struct SameLogFixture : LogFixture
{
    Result<Imported> import(const fs::path& path,
                            const std::vector<std::string>& answers = {"batch_per_rank=64", "ranks=1"})
    {
        TRY_ASSIGN(Previews previews, preview({path}, answers));
        return storeImport(db, {"logs", std::move(previews)});
    }
    std::string refusalOf(const fs::path& path)
    {
        const auto imported = import(path);
        if (imported)
            return "imported";
        CHECK(imported.error().code == ErrorCode::exists);
        return imported.error().message;
    }
    std::size_t runs() const { return store::runs(db, {.experiment = "logs", .kind = {}})->size(); }

    store::Database db = store::Database::openForWriting(folder / "lab.db").value();
};

std::string withReturns(const std::string& text)
{
    std::string converted;
    for (const char c : text)
        converted += c == '\n' ? std::string("\r\n") : std::string{c};
    return converted;
}

} // namespace

TEST_CASE_FIXTURE(SameLogFixture, "a log that has grown since it was imported is refused, and its run is named")
{
    REQUIRE(import(write("train.log", caffeLog(10))));
    const std::string grown = caffeLog(10) + caffeLog(10, 9), more = grown + caffeLog(10, 10);
    const std::string said = " has grown since it was imported: up to line 12 it is run 1 of “logs”.";
    CHECK(refusalOf(write("train.log", grown)).ends_with("train.log" + said));

    write("folder/copy.log", grown);
    write("folder/new.log", caffeLog(10, 11));
    const auto folderOf = import(folder / "folder");
    REQUIRE_MESSAGE(folderOf, folderOf.error().text());
    CHECK(folderOf->numbers == std::vector<int>{2});
    REQUIRE(folderOf->leftOut.size() == 1);
    CHECK(folderOf->leftOut[0].ends_with("copy.log" + said));

    const std::string torn = caffeLog(10, 12);
    REQUIRE(import(write("torn.log", torn.substr(0, torn.size() - 30))));
    CHECK(refusalOf(write("whole.log", torn)).ends_with("up to line 12 it is run 3 of “logs”."));
    CHECK(runs() == 3);
    const auto before =
        importedBefore(db, preview({write("more.log", more)}, {"batch_per_rank=64", "ranks=1"}).value());
    REQUIRE(before);
    REQUIRE(before->size() == 1);
    CHECK(before->front().message.ends_with("more.log" + said));
}

TEST_CASE_FIXTURE(SameLogFixture, "a copy of a log with other line ends is that log")
{
    REQUIRE(import(write("unix.log", caffeLog(10))));
    REQUIRE(import(write("windows.log", withReturns(caffeLog(10, 9)))));
    const auto refused = [&](const std::string& text) { return refusalOf(write("copy.log", text)); };
    CHECK(refused(withReturns(caffeLog(10))).ends_with("has been imported before: it is run 1 of “logs”."));
    CHECK(refused(caffeLog(10, 9)).ends_with("has been imported before: it is run 2 of “logs”."));
    CHECK(refused(withReturns(caffeLog(10, 11))) == "imported");
    CHECK(runs() == 3);
}

TEST_CASE_FIXTURE(SameLogFixture, "a beginning that tells no work makes no other log known")
{
    const std::string log = textOf(formatLog("horovod.synthetic"));
    const std::vector<std::string> answers = {"equal_ranks=yes"};
    write("job/rank.0/stdout", "first\n" + log);
    for (const int rank : {1, 2, 3})
        write(fmt::format("job/rank.{}/stdout", rank), rank == 3 ? "Batch size: 32\n" : "");
    const auto job = import(folder / "job", answers);
    REQUIRE_MESSAGE(job, job.error().text());
    const auto next = import(write("next.log", "Batch size: 32\n" + log), answers);
    CHECK_MESSAGE(next, next.error().text());
}
