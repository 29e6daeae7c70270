// SPDX-License-Identifier: MIT
#include "core/remote/ssh/keyoffers.h"

#include "core/base/words.h"

#include <algorithm>

namespace ringside::ssh {

namespace {

/// For an agent that asks its user before it signs, and for one that should not have to.
constexpr std::chrono::milliseconds kConfirmedSignLimit{60'000};
constexpr std::chrono::milliseconds kSignLimit{10'000};

} // namespace

KeyOffers::KeyOffers(SignIn& signIn, Interaction* human)
    : m_signIn(signIn)
    , m_human(human)
{
    for (const fs::path& path : signIn.settings().identityFiles)
        m_files.emplace_back(path, signIn.settings().certificateFiles);
    if (!signIn.settings().agentSocket.empty())
        openAgent();
}

void KeyOffers::openAgent()
{
    auto agent = Agent::open(m_signIn.settings().agentSocket, m_human ? kConfirmedSignLimit : kSignLimit);
    if (!agent)
        return m_signIn.recordProblem(agent.error().message);
    m_agent = std::move(*agent);
    chooseIdentities();
    if (m_identities.empty())
        return;
    if (auto attached = m_agent->attach(m_signIn.session()); !attached) {
        m_signIn.recordProblem(attached.error().message);
        m_identities.clear();
    }
}

/// Those of named keys first, in the order of the configuration; the others only if that allows.
void KeyOffers::chooseIdentities()
{
    for (const AgentIdentity& identity : m_agent->identities()) {
        if (identity.needsTouch() && !m_human)
            m_signIn.recordUserMissing();
        else if (placeOf(identity) < m_files.size() || !m_signIn.settings().identitiesOnly)
            choose(identity);
    }
    std::ranges::stable_sort(m_identities, {}, [&](const AgentIdentity& identity) { return placeOf(identity); });
}

/// First with each certificate that a file has for it, then as it is.
void KeyOffers::choose(const AgentIdentity& identity)
{
    const std::size_t place = placeOf(identity);
    const std::vector<fs::path>& files =
        place < m_files.size() ? m_files[place].certificateFiles() : m_signIn.settings().certificateFiles;
    for (const KeyHandle& certificate : certificatesFor(identity.blob, files))
        m_identities.push_back({blobOf(certificate.get()), identity.comment, identity.blob});
    m_identities.push_back(identity);
}

/// The place of its key among those that are named; behind them all if it is none of these.
std::size_t KeyOffers::placeOf(const AgentIdentity& identity) const
{
    const auto same = [&](const KeyHandle& key) { return key && blobOf(key.get()) == identity.blob; };
    const auto named = std::ranges::find_if(m_files, [&](const KeyFile& file) {
        return same(file.publicKey()) || std::ranges::any_of(file.certificates(), same);
    });
    return static_cast<std::size_t>(named - m_files.begin());
}

Result<Outcome> KeyOffers::tryNext()
{
    Outcome outcome = Outcome::refused;
    while (outcome == Outcome::refused && m_nextIdentity < m_identities.size()) {
        TRY_ASSIGN(outcome, tryIdentity(m_identities[m_nextIdentity++]));
    }
    while (outcome == Outcome::refused && m_nextFile < m_files.size()) {
        TRY_ASSIGN(outcome, tryFile(m_files[m_nextFile++]));
    }
    return outcome;
}

bool KeyOffers::mayOffer(const std::string& blob)
{
    if (std::find(m_offered.begin(), m_offered.end(), blob) != m_offered.end())
        return false;
    if (m_offered.size() < kMaxOfferedKeys) {
        m_offered.push_back(blob);
        return true;
    }
    if (!std::exchange(m_stopped, true))
        m_signIn.recordProblem(Words::tr("further keys were not offered, or the server would have hung up"));
    return false;
}

Result<Outcome> KeyOffers::tryIdentity(const AgentIdentity& identity)
{
    if (!mayOffer(identity.blob))
        return Outcome::refused;
    m_agent->show(identity);
    const std::stop_callback onStop(m_signIn.stop(), [this] { m_agent->giveUp(); });
    TRY_ASSIGN(const Outcome outcome, m_signIn.finish([&] { return ssh_userauth_agent(m_signIn.session(), nullptr); }));
    return m_signIn.record(outcome, identity.signer.empty()
                                        ? Words::tr("key {} of the ssh-agent", identity.comment)
                                        : Words::tr("certificate of key {} of the ssh-agent", identity.comment));
}

/// First with each certificate, then as it is.
Result<Outcome> KeyOffers::tryFile(KeyFile& file)
{
    if (!file.publicKey())
        TRY(load(file));
    Outcome outcome = Outcome::refused;
    for (std::size_t i = 0; outcome == Outcome::refused && i < file.certificates().size(); ++i) {
        TRY_ASSIGN(outcome, offer(file, &file.certificates()[i]));
    }
    if (outcome == Outcome::refused && file.publicKey()) {
        TRY_ASSIGN(outcome, offer(file, nullptr));
    }
    return outcome;
}

/// Asks whether the key would do before its passphrase is asked for.
Result<Outcome> KeyOffers::offer(KeyFile& file, const KeyHandle* certificate)
{
    const ssh_key shown = certificate ? certificate->get() : file.publicKey().get();
    if (!mayOffer(blobOf(shown)))
        return Outcome::refused;
    const std::string what =
        certificate ? Words::tr("certificate of {}", file.path().string()) : Words::tr("key {}", file.path().string());
    TRY_ASSIGN(const int answer,
               m_signIn.ask([&] { return ssh_userauth_try_publickey(m_signIn.session(), nullptr, shown); }));
    TRY_ASSIGN(Outcome outcome, m_signIn.meaning(answer));
    if (outcome == Outcome::refused)
        return m_signIn.record(outcome, what);
    TRY_ASSIGN(const KeyFile::State state, load(file));
    if (state != KeyFile::State::loaded)
        return Outcome::refused;
    const KeyHandle key = file.privateKey(certificate ? shown : nullptr);
    TRY_ASSIGN(outcome,
               m_signIn.finish([&] { return ssh_userauth_publickey(m_signIn.session(), nullptr, key.get()); }));
    return m_signIn.record(outcome, what);
}

Result<KeyFile::State> KeyOffers::load(KeyFile& file)
{
    TRY_ASSIGN(const KeyFile::State state, file.load(m_human, m_signIn.settings().account()));
    if (state == KeyFile::State::locked)
        m_signIn.recordUserMissing();
    else if (state == KeyFile::State::damaged)
        m_signIn.recordProblem(Words::tr("key {} (no private key that Ringside reads)", file.path().string()));
    else if (state == KeyFile::State::publicOnly)
        m_signIn.recordProblem(
            Words::tr("key {} (a public key, and no ssh-agent holds its private one)", file.path().string()));
    return state;
}

} // namespace ringside::ssh
