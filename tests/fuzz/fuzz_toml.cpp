// SPDX-License-Identifier: MIT
// The reader of experiment files on any bytes; what it accepts is written and read back unchanged, and validated.
#include "core/spec/toml.h"
#include "core/spec/validate.h"
#include "tests/fuzz/property.h"

using namespace ringside;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto experiment = spec::parseExperiment({reinterpret_cast<const char*>(data), size});
    if (!experiment) {
        fuzz::require(!experiment.error().message.empty(), "a refusal says why");
        return 0;
    }
    const std::string text = spec::writeExperiment(*experiment);
    const auto again = spec::parseExperiment(text);
    fuzz::require(again.has_value(), "what was written can be read");
    fuzz::require(spec::writeExperiment(*again) == text,
                  "an experiment reads back as written"); // bytes: NaN is unequal
    (void)spec::validate(*experiment);
    return 0;
}
