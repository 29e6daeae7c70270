// SPDX-License-Identifier: MIT
#include "core/remote/deployment/scripts.h"

#include "core/base/ids.h"
#include "core/base/shellquote.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/remote/command.h"

namespace ringside::deployment {

namespace {

constexpr std::chrono::milliseconds kSilenceLimit{30'000};
constexpr std::size_t kMaxSaid = 600;

/// Every script begins so. Messages of the system are read, so they have to be English. A start file of the login shell
/// may have led elsewhere: relative paths begin at home.
constexpr const char* kPreamble = R"sh(LC_ALL=C
export LC_ALL
umask 077
cd 2>/dev/null
printf '\n%s\n' "$mark"
say() { printf '%s %s\n' "$1" "$2"; }
digest() { { sha256sum <"$1" || shasum -a 256 <"$1" || openssl dgst -sha256 -r <"$1"; } 2>/dev/null | cut -c1-64; }
)sh";

std::string assignments(const Variables& variables)
{
    std::string text;
    for (const auto& [name, value] : variables)
        text += name + "=" + shellQuote(value) + "\n";
    return text;
}

std::string lastOf(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    return plainText(text.substr(text.size() - std::min(text.size(), kMaxSaid)));
}

Error noCommands(const std::string& host, const Finished& finished)
{
    const std::string said = lastOf(finished.output + finished.errors);
    std::string message = Words::tr("{} runs no commands for this account (exit code {}).", host, finished.exitCode);
    if (!said.empty())
        message += " " + Words::tr("It printed: {}", said);
    return {ErrorCode::unavailable, std::move(message),
            Words::tr("Try “ssh HOST sh -s” in a terminal. The account needs a login shell that runs commands; ask the "
                      "site's support for one if it is restricted.")};
}

/// One pair a line.
Lines parseLines(std::string_view output)
{
    Lines lines;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        const std::string_view line = output.substr(0, end);
        const std::size_t space = std::min(line.find(' '), line.size());
        lines.emplace_back(plainText(line.substr(0, space)), plainText(line.substr(std::min(space + 1, line.size()))));
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    return lines;
}

} // namespace

Result<Lines> runMarked(Host& host, const Variables& variables, const char* script)
{
    const std::string mark = "ringside-" + randomUuid();
    const std::string whole = assignments({{"mark", mark}}) + assignments(variables) + kPreamble + script;
    TRY_ASSIGN(const Finished finished, runScript(host, whole, kSilenceLimit));
    const std::size_t at = finished.output.find(mark + "\n");
    if (at == std::string::npos)
        return tl::unexpected(noCommands(host.name(), finished));
    return parseLines(std::string_view(finished.output).substr(at + mark.size() + 1));
}

// A program is tried as a script of two lines: where files may not be executed, the kernel refuses it like any other.
// It is written by tee, since the printf of some shells does not say why it fails.
const char* const kSurveyScript = R"sh(
say os "$(uname -s)"
say arch "$(uname -m)"
say shell "$SHELL"
say home "$(pwd)"

write_program() {
    printf '#!/bin/sh\nexit 0\n' | tee "$1" >/dev/null && chmod 700 "$1"
}
holds_programs() {
    try=$1/.$mark
    { write_program "$try" && "$try"; } >/dev/null 2>&1
    verdict=$?
    rm -f "$try"
    return $verdict
}
nearest() {
    near=$1
    while [ ! -d "$near" ]; do
        case $near in
            /*/*) near=${near%/*} ;;
            /*) near=/ ;;
            */*) near=${near%/*} ;;
            *) near=. ;;
        esac
    done
    printf '%s' "$near"
}

case $folder in
    /*) ;;
    *) folder=./$folder ;;
esac
try=$folder/.$mark
if said=$( { mkdir -p "$folder" && write_program "$try"; } 2>&1); then
    said=$("$try" 2>&1) || say no_execution "$(printf '%s' "${said:-exit code $?}" | tr '\n' ' ')"
    find "$folder" -name '*.part-*' -mtime +0 -exec rm -f {} + 2>/dev/null
else
    say obstacle "$(printf '%s' "$said" | tr '\n' ' ')"
fi
rm -f "$try"
say space "$(df -Pk "$(nearest "$folder")" 2>/dev/null | tail -n 1)"
say files "$(df -Pi "$(nearest "$folder")" 2>/dev/null | tail -n 1)"
if [ -n "$program" ] && [ -f "$program" ]; then say present "$(digest "$program")"; fi

user=${USER:-${LOGNAME:-$(id -un)}}
for place in "$SCRATCH" "$SCRATCHDIR" "$PSCRATCH" "$WORK" "$WORKDIR" "$PROJECT" \
    "/scratch/$user" "/work/$user" "/project/$user" "/data/$user" "/lustre/$user" "/gpfs/$user"; do
    case $place in
        /?*) if [ -d "$place" ] && holds_programs "$place"; then say candidate "$place"; fi ;;
    esac
done
)sh";

} // namespace ringside::deployment
