// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/hostlist.h"

#include "core/base/parsenumber.h"
#include "core/base/text.h"

namespace ringside::slurm {

namespace {

constexpr std::size_t kMaxHosts = 100'000;
constexpr std::size_t kMaxDigits = 9;
constexpr int kMaxBrackets = 4; ///< of an item, each of which may copy all names once more

using Hosts = std::vector<std::string>;

std::optional<int> number(std::string_view text)
{
    const auto value = parseNumber<int>(text);
    return value && text.size() <= kMaxDigits && text[0] != '-' ? value : std::nullopt;
}

/// One of "3", "1-3", "08-12": as many digits as the first number has.
bool addRange(std::string_view range, const std::string& prefix, Hosts& hosts)
{
    const auto dash = range.find('-');
    const std::string_view from = range.substr(0, dash);
    const auto low = number(from);
    const auto high = dash == std::string_view::npos ? low : number(range.substr(dash + 1));
    if (!low || !high || *high < *low || static_cast<std::size_t>(*high - *low) >= kMaxHosts - hosts.size())
        return false;
    for (int i = *low; i <= *high; ++i)
        hosts.push_back(fmt::format("{}{:0{}}", prefix, i, from.size()));
    return true;
}

/// Returns the position of the comma that ends the item at the beginning of `text`; the size of `text` without one.
std::size_t endOfItem(std::string_view text)
{
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        inside = text[i] == '[' || (inside && text[i] != ']');
        if (text[i] == ',' && !inside)
            return i;
    }
    return text.size();
}

/// Every prefix with every number of the ranges between brackets.
bool expandBrackets(std::string_view ranges, Hosts& names)
{
    Hosts expanded;
    for (const std::string& prefix : names)
        for (std::string_view rest = ranges;;) {
            const auto comma = rest.find(',');
            if (!addRange(rest.substr(0, comma), prefix, expanded))
                return false;
            if (comma == std::string_view::npos)
                break;
            rest.remove_prefix(comma + 1);
        }
    names = std::move(expanded);
    return true;
}

bool addItem(std::string_view item, Hosts& hosts)
{
    Hosts names{""};
    for (int brackets = 0; !item.empty(); ++brackets) {
        const auto open = item.find('[');
        for (auto& name : names)
            name += item.substr(0, open);
        if (open == std::string_view::npos)
            break;
        const auto close = item.find(']', open);
        if (close == std::string_view::npos || brackets == kMaxBrackets ||
            !expandBrackets(item.substr(open + 1, close - open - 1), names))
            return false;
        item.remove_prefix(close + 1);
    }
    hosts.insert(hosts.end(), names.begin(), names.end());
    return hosts.size() <= kMaxHosts && !names.front().empty();
}

} // namespace

Result<Hosts> hostsOf(std::string_view list)
{
    Hosts hosts;
    for (std::string_view rest = list; !rest.empty();) {
        const auto end = endOfItem(rest);
        if (!addItem(rest.substr(0, end), hosts))
            return fail(ErrorCode::damaged, fmt::format("“{}” is no list of hosts.", plainText(list.substr(0, 100))));
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    return hosts;
}

} // namespace ringside::slurm
