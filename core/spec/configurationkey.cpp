// SPDX-License-Identifier: MIT
#include "core/spec/matrix.h"
#include "core/spec/schema.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <nlohmann/json.hpp>

namespace ringside::spec {

namespace {

/// The name space of configuration keys: a random UUID, fixed for ever.
constexpr boost::uuids::uuid kNameSpace = {
    {0x2e, 0x9d, 0x25, 0x5d, 0x84, 0xe3, 0x46, 0x5f, 0x95, 0xcf, 0x1f, 0xcf, 0x9c, 0xcf, 0x1c, 0xd4}};

bool countsInHash(const std::string& key, const Value& value, const Settings& settings)
{
    const Setting* setting = findSetting(key);
    return !setting || setting->inHashWhenDefault || value != standardOf(*setting, settings);
}

nlohmann::json canonicalSettings(const Settings& settings)
{
    Settings counted;
    for (const auto& [key, value] : settings)
        if (countsInHash(key, value, settings))
            counted.emplace(key, value);
    return toJson(counted);
}

/// Describes what the plan does. Not as in plan.json, whose format may grow without changing old keys.
nlohmann::json canonicalPlan(const AggregationPlan& plan)
{
    nlohmann::json json = {{"collective", nameOf(plan.collective)}};
    if (plan.collective == Collective::none)
        return json;
    json["grouping"] = nameOf(plan.grouping);
    json["schedule"] = nameOf(plan.schedule);
    // Each only where it counts, so that the keys of plans without it stay the same.
    forEachNumber(plan, [&](const char* key, auto member, auto, auto) { json[key] = plan.*member; });
    if (plan.compression != Compression::none)
        json["compression"] = nameOf(plan.compression);
    if (plan.collective == Collective::parameterServer) {
        json["servers"] = plan.servers;
        json["updates"] = plan.asynchronous ? "asynchronous" : "synchronous";
        json["server_placement"] = nameOf(plan.serverPlacement);
    }
    return json;
}

} // namespace

std::string configurationKey(const Settings& settings, const AggregationPlan& plan, int iterations, int warmup)
{
    const nlohmann::json canonical = {{"settings", canonicalSettings(settings)},
                                      {"plan", canonicalPlan(plan)},
                                      {"iterations", iterations},
                                      {"warmup", warmup}};
    // Invalid UTF-8 (a folder's name) must not throw; replacing it could at most make two such names one key.
    const std::string text = canonical.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return to_string(boost::uuids::name_generator_sha1(kNameSpace)(text));
}

} // namespace ringside::spec
