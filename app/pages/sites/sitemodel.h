// SPDX-License-Identifier: GPL-3.0-or-later
// This computer and the sites of the user: name, and the state of contact.
#pragma once

#include "app/session/sitestates.h"
#include "app/widgets/statelook.h"
#include "core/sites/sitebook.h"

#include <QAbstractListModel>
#include <functional>
#include <vector>

namespace ringside {

class SiteModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role
    {
        kStatusText = Qt::UserRole, ///< "connected · 16 cores"
        kStatusIcon,                ///< name of a file in resources/icons
        kStatusInk,
        kIcon
    };

    /// `lastContact`: when a site was connected last, by any start of Ringside, wall clock, ns; 0: never. `states`
    /// outlives this.
    SiteModel(const SiteStates& states, std::function<std::int64_t(const QString&)> lastContact);

    /// The sites below this computer, which is always the first.
    void setSites(std::vector<SiteBook::Entry> sites);

    QString nameAt(int row) const;
    /// Null for this computer.
    const SiteBook::Entry* siteAt(int row) const;
    int rowOf(const QString& name) const;

    int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : 1 + int(m_sites.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;

private:
    QString statusText(int row) const;
    StateLook lookOf(int row) const;
    /// The step of its latest test that failed or was stopped, although there is contact; null if none.
    const SiteStep* openStep(const SiteStates::Steps& steps, int row) const;

    const SiteStates& m_states;
    std::function<std::int64_t(const QString&)> m_lastContact;
    std::vector<SiteBook::Entry> m_sites;
};

} // namespace ringside
