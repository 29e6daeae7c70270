// SPDX-License-Identifier: MIT
// Asks a person what a connection needs. The window and the command line implement it.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/remote/secret.h"

#include <chrono>
#include <string>
#include <vector>

namespace ringside {

/// Time within which an answer is of use: servers hang up after two minutes as a rule.
inline constexpr std::chrono::milliseconds kAnswerLimit{120'000};

/// A host whose key is not confirmed yet.
struct HostKeyQuestion
{
    std::string host;        ///< "alder.example.org", or "alder.example.org, port 2222"
    std::string keyType;     ///< "ssh-ed25519"
    std::string fingerprint; ///< "SHA256:…"
    fs::path keptIn;         ///< the known_hosts file that gets it; empty if the configuration names none
};

/// A host that showed another key than the one on record, or a revoked one: nothing was sent to it.
struct HostKeyAlarm
{
    std::string host;
    std::string offeredType;
    std::string offeredFingerprint;
    std::string knownType;
    std::string knownFingerprint;
    fs::path file; ///< that has the known key …
    int line = 0;  ///< … and in which line, from 1
    bool revoked = false;
    std::string removeCommand; ///< for the shell of this computer; empty for a revoked key
};

struct Prompt
{
    std::string text;
    bool echo = false; ///< show what is typed
};

/// Questions that one dialog shows together.
struct PromptRound
{
    enum class Kind
    {
        password,   ///< of an account; may be stored in the keychain
        passphrase, ///< of a key file on this computer; may be stored in the keychain
        challenge,  ///< whatever the server asks: never stored
    };
    Kind kind = Kind::challenge;
    std::string subject;     ///< "kim@alder.example.org", "kim@[localhost]:2201", or the path of the key
    std::string account;     ///< "kim@alder.example.org": whom a passphrase lets in; empty where the subject says it
    std::string title;       ///< from the server; may be empty
    std::string instruction; ///< from the server; may be empty
    std::vector<Prompt> prompts;
    int round = 1; ///< a server may ask several times
    std::chrono::milliseconds limit = kAnswerLimit;
};

/// Called on the thread that connects, one call at a time; may block for as long as a person needs. All texts are plain
/// text of at most 2,000 characters. A person who closes the dialog answers with an Error of code `cancelled`.
class Interaction
{
public:
    virtual ~Interaction() = default;
    /// Returns true if the person compared the fingerprint and wants to connect, false in doubt.
    virtual Result<bool> trustHostKey(const HostKeyQuestion& question) = 0;
    /// One answer per prompt.
    virtual Result<std::vector<Secret>> answer(const PromptRound& round) = 0;
    /// Receives whether the server accepted this password or passphrase, once that is known. Returns true if it was a
    /// stored one that no person has just entered: then the same is asked once more, and no stored one is the answer.
    /// Returns at once.
    virtual bool judged(const PromptRound& /*round*/, bool /*isAccepted*/) { return false; }
    /// To be shown, without an answer ("Push sent to your phone"). Returns at once.
    virtual void notice(const std::string& subject, const std::string& text) = 0;
    /// The connection was refused by us. Returns at once.
    virtual void hostKeyAlarm(const HostKeyAlarm& alarm) = 0;
};

} // namespace ringside
