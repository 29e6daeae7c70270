// SPDX-License-Identifier: GPL-3.0-or-later
// The bell's list: messages with their time and action, newest first.
#pragma once

#include "app/widgets/messagebar.h"

#include <QAbstractListModel>
#include <QDateTime>
#include <QVariant>
#include <deque>

namespace ringside {

class MessageLog : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role
    {
        kTimeRole = Qt::UserRole + 1,
        kButtonRole,
        kSeverityRole
    };
    static constexpr std::size_t kKept = 200;
    static constexpr qsizetype kKeptOverStarts = 50;

    /// The newest texts of an earlier start; what their buttons did is not known any more.
    void restore(const QVariantList& kept);
    /// For restore().
    QVariantList kept() const;
    void add(const Message& message);
    void markRead();
    /// A line for each, the newest first: "09:14 text"; details below it.
    QStringList texts() const;
    int unread() const { return m_unread; }
    const Message& at(int row) const { return m_entries[std::size_t(row)].message; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(m_entries.size()); }
    QVariant data(const QModelIndex& index, int role) const override;

Q_SIGNALS:
    void unreadChanged(int unread);

private:
    struct Entry
    {
        QDateTime time;
        Message message;
    };
    std::deque<Entry> m_entries;
    int m_unread = 0;
};

} // namespace ringside
