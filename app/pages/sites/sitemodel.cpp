// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitemodel.h"

#include "app/session/sitestates.h"
#include "app/style/theme.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"
#include "app/widgets/text.h"

#include "core/spec/experiment.h"

namespace ringside {

SiteModel::SiteModel(const SiteStates& states, QObject* parent)
    : QAbstractListModel(parent)
    , m_states(states)
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

int SiteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + int(m_sites.size());
}

QString SiteModel::statusText(int row) const
{
    const auto* site = siteAt(row);
    if (site && !site->site)
        return tr("its file cannot be read");
    const SiteStatus status = m_states.statusOf(nameAt(row));
    switch (status.contact) {
    case SiteStatus::Contact::never:
        return site ? tr("not tested yet") : tr("ready");
    case SiteStatus::Contact::connecting:
        return tr("connecting");
    case SiteStatus::Contact::connected:
        return tr("connected · %1").arg(toQt(status.text));
    case SiteStatus::Contact::lost:
        return tr("disconnected since %1").arg(Numbers::timeOfDay(status.since));
    case SiteStatus::Contact::needsPerson:
        return tr("needs you");
    }
    return {};
}

QVariant SiteModel::data(const QModelIndex& index, int role) const
{
    const auto contact = m_states.statusOf(nameAt(index.row())).contact;
    const bool isConnected = contact == SiteStatus::Contact::connected;
    switch (role) {
    case Qt::DisplayRole:
        return siteName(toUtf8(nameAt(index.row())));
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2").arg(siteName(toUtf8(nameAt(index.row()))), statusText(index.row()));
    case kStatusText:
        return statusText(index.row());
    case kStatusIcon:
        return contact == SiteStatus::Contact::needsPerson ? QStringLiteral("question")
                                                           : QString::fromLatin1(isConnected ? "dot" : "circle");
    case kStatusInk:
        return int(isConnected ? Ink::done : contact == SiteStatus::Contact::needsPerson ? Ink::warning : Ink::text2);
    case kIcon:
        return QString::fromLatin1(index.row() == 0 ? "cpu" : "server");
    default:
        return {};
    }
}

} // namespace ringside
