// SPDX-License-Identifier: MIT
#include "core/remote/ssh/hostkeys.h"

#include "core/base/shellquote.h"
#include "core/base/words.h"
#include "core/remote/ssh/evaluation.h"
#include "core/remote/ssh/knownhosts.h"

#include <algorithm>

namespace ringside::ssh {

namespace {

/// Types that are asked for when nothing is on record. No DSA, no SHA-1.
constexpr const char* kHostKeyTypes[] = {"ssh-ed25519",         "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                                         "ecdsa-sha2-nistp521", "rsa-sha2-512",        "rsa-sha2-256"};

/// An RSA key signs under three names.
bool isOfType(std::string_view algorithm, std::string_view keyType)
{
    return algorithm == keyType || (keyType == "ssh-rsa" && algorithm.starts_with("rsa-sha2-"));
}

std::vector<fs::path> allFiles(const HostSettings& settings)
{
    std::vector<fs::path> files = settings.knownHosts;
    files.insert(files.end(), settings.systemKnownHosts.begin(), settings.systemKnownHosts.end());
    return files;
}

bool sameKey(const KnownKey& known, const KeyHandle& offered)
{
    return ssh_key_cmp(known.key.get(), offered.get(), SSH_KEY_CMP_PUBLIC) == 0;
}

HostKeyAlarm alarmFor(const HostSettings& settings, const KnownKey& known, const KeyHandle& offered)
{
    HostKeyAlarm alarm;
    alarm.host = settings.place();
    alarm.offeredType = typeOf(offered.get());
    alarm.offeredFingerprint = fingerprintOf(offered.get());
    alarm.knownType = typeOf(known.key.get());
    alarm.knownFingerprint = fingerprintOf(known.key.get());
    alarm.file = known.file;
    alarm.line = known.line;
    alarm.revoked = known.revoked;
    if (!known.revoked)
        alarm.removeCommand =
            fmt::format("ssh-keygen -R {} -f {}", shellQuote(settings.knownAs), shellQuote(known.file.string()));
    return alarm;
}

Error errorFor(const HostKeyAlarm& alarm)
{
    if (alarm.revoked)
        return {ErrorCode::permission,
                Words::tr("{} shows a key that {} (line {}) calls revoked: {} {}. Nothing was sent.", alarm.host,
                          alarm.file.string(), alarm.line, alarm.offeredType, alarm.offeredFingerprint),
                Words::tr("Ask its administrators.")};
    return {ErrorCode::permission,
            Words::tr("{} shows another host key than the one on record; someone may be listening in. Nothing was "
                      "sent. On record: {} {} ({}, line {}). Shown: {} {}.",
                      alarm.host, alarm.knownType, alarm.knownFingerprint, alarm.file.string(), alarm.line,
                      alarm.offeredType, alarm.offeredFingerprint),
            Words::tr("Ask its administrators whether the key was changed; only then: {}", alarm.removeCommand)};
}

tl::unexpected<Error> refuse(const HostSettings& settings, const KnownKey& known, const KeyHandle& offered,
                             Interaction* human)
{
    const HostKeyAlarm alarm = alarmFor(settings, known, offered);
    if (human)
        human->hostKeyAlarm(alarm);
    return tl::unexpected(errorFor(alarm));
}

Error unknownKey(const HostKeyQuestion& question, bool isStrict)
{
    if (isStrict)
        return {ErrorCode::permission,
                Words::tr("{} is not known: its key is {} {}. The ssh configuration forbids to ask "
                          "(StrictHostKeyChecking yes).",
                          question.host, question.keyType, question.fingerprint),
                Words::tr("Add the key to a known_hosts file once it is compared with the one that the administrators "
                          "publish.")};
    return {ErrorCode::needsUser,
            Words::tr("{} is not known yet: its key {} {} has to be compared by a person.", question.host,
                      question.keyType, question.fingerprint),
            question.keptIn.empty()
                ? Words::tr("Connect by hand, each time: the ssh configuration names no file that would remember the "
                            "key (UserKnownHostsFile none).")
                : Words::tr("Connect by hand once.")};
}

Result<void> ask(const HostSettings& settings, const KeyHandle& offered, Interaction* human)
{
    HostKeyQuestion question{settings.place(), typeOf(offered.get()), fingerprintOf(offered.get()), {}};
    if (!settings.knownHosts.empty())
        question.keptIn = settings.knownHosts.front();
    if (!human || settings.strictHostKeys)
        return tl::unexpected(unknownKey(question, settings.strictHostKeys));
    TRY_ASSIGN(const bool trusted, human->trustHostKey(question));
    if (!trusted)
        return fail(ErrorCode::cancelled, Words::tr("The key of {} was not trusted; nothing was sent.", question.host),
                    Words::tr("Compare its fingerprint with the one that the administrators publish."));
    return question.keptIn.empty() ? Result<void>() : addKnownKey(settings.knownAs, offered.get(), question.keptIn);
}

/// A key that is on record without the port, as ssh wrote it before 2008, counts where nothing is on record with it.
Result<bool> isKnownWithoutPort(const HostSettings& settings, const KeyHandle& offered)
{
    if (settings.port == 22 || settings.hasKeyAlias)
        return false;
    TRY_ASSIGN(const std::vector<KnownKey> known, knownKeys(settings.hostName, allFiles(settings)));
    return std::ranges::any_of(known, [&](const KnownKey& key) { return sameKey(key, offered); }) &&
           std::ranges::none_of(known, [&](const KnownKey& key) { return key.revoked && sameKey(key, offered); });
}

} // namespace

std::string preferredHostKeys(const HostSettings& settings)
{
    const auto known = knownKeys(settings.knownAs, allFiles(settings));
    if (!known || known->empty())
        return {};
    const auto configured = settings.algorithms.find("hostkeyalgorithms");
    std::vector<std::string> order(std::begin(kHostKeyTypes), std::end(kHostKeyTypes));
    if (configured != settings.algorithms.end())
        order = splitAtCommas(configured->second);
    std::stable_partition(order.begin(), order.end(), [&](const std::string& algorithm) {
        return std::any_of(known->begin(), known->end(), [&](const KnownKey& key) {
            return !key.revoked && isOfType(algorithm, typeOf(key.key.get()));
        });
    });
    return fmt::format("{}", fmt::join(order, ","));
}

Result<std::string> verifyHostKey(Session& session, Interaction* human)
{
    const HostSettings& settings = session.settings();
    ssh_key key = nullptr;
    if (ssh_get_server_publickey(session.get(), &key) != SSH_OK)
        return tl::unexpected(session.failure(Words::tr("{} showed no host key", settings.place())));
    const KeyHandle offered(key);
    TRY_ASSIGN(const std::vector<KnownKey> known, knownKeys(settings.knownAs, allFiles(settings)));

    const KnownKey* other = nullptr; // one of the same type explains more than one of another
    bool trusted = false;
    for (const KnownKey& candidate : known) {
        if (sameKey(candidate, offered) && candidate.revoked)
            return refuse(settings, candidate, offered, human);
        trusted = trusted || sameKey(candidate, offered);
        if (!candidate.revoked && (!other || typeOf(candidate.key.get()) == typeOf(offered.get())))
            other = &candidate;
    }
    if (!trusted && other)
        return refuse(settings, *other, offered, human);
    if (!trusted) {
        TRY_ASSIGN(trusted, isKnownWithoutPort(settings, offered));
    }
    if (!trusted)
        TRY(ask(settings, offered, human));
    return fmt::format("{} {}", typeOf(offered.get()), fingerprintOf(offered.get()));
}

} // namespace ringside::ssh
