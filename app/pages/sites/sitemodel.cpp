// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitemodel.h"

#include "app/shell/contactlook.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"

#include "core/base/clock.h"
#include "core/spec/experiment.h"

#include <algorithm>
#include <utility>

namespace ringside {

SiteModel::SiteModel(const SiteStates& states, std::function<std::int64_t(const QString&)> lastContact)
    : m_states(states)
    , m_lastContact(std::move(lastContact))
{
    connect(&states, &SiteStates::changed, this, [this](const QString& site) {
        if (const int row = rowOf(site); row >= 0)
            Q_EMIT dataChanged(index(row), index(row));
    });
}

void SiteModel::setSites(std::vector<SiteBook::Entry> sites)
{
    beginResetModel();
    m_sites = std::move(sites);
    endResetModel();
}

QString SiteModel::nameAt(int row) const
{
    const auto* site = siteAt(row);
    return site ? toQt(site->name) : QString::fromLatin1(spec::kLocalSite);
}

const SiteBook::Entry* SiteModel::siteAt(int row) const
{
    return row >= 1 && row <= int(m_sites.size()) ? &m_sites[std::size_t(row - 1)] : nullptr;
}

int SiteModel::rowOf(const QString& name) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (nameAt(row) == name)
            return row;
    return -1;
}

QString SiteModel::statusText(int row) const
{
    const auto* site = siteAt(row);
    if (site && !site->site)
        return tr("its file cannot be read");
    const SiteStatus status = m_states.statusOf(nameAt(row));
    if (status.contact == SiteStatus::Contact::never) {
        const std::int64_t last = m_lastContact(nameAt(row));
        const QString known = last > 0 ? tr("connected %1", "12 min ago").arg(Numbers::relativeTime(last, wallNs()))
                                       : tr("not tested yet");
        return site ? known : tr("ready");
    }
    const QString word = lookOf(row).word;
    const SiteStates::Steps steps = m_states.stepsOf(nameAt(row));
    if (const SiteStep* open = openStep(steps, row))
        return open->state == SiteStep::State::failed ? tr("%1 · failed: %2").arg(word, coreText(titleOf(open->kind)))
                                                      : tr("%1 · test stopped").arg(word);
    return status.contact == SiteStatus::Contact::connected ? tr("%1 · %2").arg(word, toQt(status.text)) : word;
}

StateLook SiteModel::lookOf(int row) const
{
    return ContactWords::look(m_states.statusOf(nameAt(row)), m_states.wasReached(nameAt(row)));
}

const SiteStep* SiteModel::openStep(const SiteStates::Steps& steps, int row) const
{
    if (m_states.statusOf(nameAt(row)).contact != SiteStatus::Contact::connected)
        return nullptr; // that says enough
    const auto first = [&](SiteStep::State state) -> const SiteStep* {
        const auto is = [&](const auto& step) { return step.second.state == state && !step.second.text.empty(); };
        const auto found = std::ranges::find_if(steps, is);
        return found == steps.end() ? nullptr : &found->second;
    };
    const SiteStep* failed = first(SiteStep::State::failed);
    return failed ? failed : first(SiteStep::State::notTried);
}

QVariant SiteModel::data(const QModelIndex& index, int role) const
{
    StateLook look = lookOf(index.row());
    const SiteStates::Steps steps = m_states.stepsOf(nameAt(index.row()));
    if (const SiteStep* open = openStep(steps, index.row())) {
        const bool hasFailed = open->state == SiteStep::State::failed;
        look = {hasFailed ? QStringLiteral("warning") : QStringLiteral("circle"), hasFailed ? Ink::warning : Ink::text2,
                look.word};
    }
    switch (role) {
    case Qt::DisplayRole:
        return siteName(toUtf8(nameAt(index.row())));
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2").arg(siteName(toUtf8(nameAt(index.row()))), statusText(index.row()));
    case kStatusText:
        return statusText(index.row());
    case kStatusIcon:
        return look.icon;
    case kStatusInk:
        return int(look.ink);
    case kIcon:
        return QString::fromLatin1(index.row() == 0 ? "cpu" : "server");
    default:
        return {};
    }
}

} // namespace ringside
