// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/messagelog.h"

#include <QLocale>

namespace ringside {

void MessageLog::add(const Message& message)
{
    if (m_entries.size() == kKept) {
        beginRemoveRows({}, int(kKept) - 1, int(kKept) - 1);
        m_entries.pop_back();
        endRemoveRows();
    }
    beginInsertRows({}, 0, 0);
    m_entries.push_front({QDateTime::currentDateTime(), message});
    endInsertRows();
    Q_EMIT unreadChanged(++m_unread);
}

void MessageLog::markRead()
{
    m_unread = 0;
    Q_EMIT unreadChanged(0);
}

QStringList MessageLog::texts() const
{
    QStringList lines;
    for (const auto& [time, message] : m_entries) {
        lines << time.toString(Qt::ISODate) + QLatin1Char(' ') + message.text;
        if (!message.details.isEmpty())
            lines << message.details;
    }
    return lines;
}

int MessageLog::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_entries.size());
}

QVariant MessageLog::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& [time, message] = m_entries[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return message.text;
    case kTimeRole:
        return QLocale().toString(time.time(), QStringLiteral("HH:mm"));
    case kButtonRole:
        return message.button;
    case kSeverityRole:
        return int(message.severity);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1 %2").arg(data(index, kTimeRole).toString(), message.text);
    default:
        return {};
    }
}

} // namespace ringside
