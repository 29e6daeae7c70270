// SPDX-License-Identifier: MIT
#include "core/base/error.h"

#include <doctest/doctest.h>
#include <memory>

namespace ringside {

namespace {

Result<std::unique_ptr<int>> half(int value)
{
    if (value % 2 != 0)
        return fail(ErrorCode::usage, fmt::format("{} is odd.", value), "Choose an even number.");
    return std::make_unique<int>(value / 2);
}

Result<int> quarter(int value)
{
    TRY_ASSIGN(const auto once, half(value));
    TRY_ASSIGN(const auto twice, half(*once));
    return *twice;
}

Result<void> mustHalve(int value)
{
    TRY(half(value));
    return {};
}

} // namespace

TEST_CASE("values pass through, errors return to the caller")
{
    CHECK(quarter(12) == 3);
    CHECK(quarter(6).error().text() == "3 is odd. Choose an even number.");
    CHECK(mustHalve(2));
    CHECK(mustHalve(1).error().code == ErrorCode::usage);
    CHECK(Error{ErrorCode::io, "Gone.", {}}.text() == "Gone.");
}

} // namespace ringside
