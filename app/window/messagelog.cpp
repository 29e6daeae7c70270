// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/messagelog.h"

#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include <algorithm>

namespace ringside {

namespace {

const QString kTime = QStringLiteral("time"), kSeverity = QStringLiteral("severity"), kText = QStringLiteral("text"),
              kDetails = QStringLiteral("details"); // of a stored entry

} // namespace

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

void MessageLog::restore(const QVariantList& kept)
{
    beginResetModel();
    for (const QVariant& each : kept) {
        const QVariantMap entry = each.toMap();
        const int severity = std::clamp(entry.value(kSeverity).toInt(), int(Severity::info), int(Severity::error));
        m_entries.push_back({entry.value(kTime).toDateTime(),
                             {.severity = Severity(severity),
                              .text = entry.value(kText).toString(),
                              .details = entry.value(kDetails).toString()}});
    }
    endResetModel();
    Q_EMIT unreadChanged(m_unread);
}

QVariantList MessageLog::kept() const
{
    QVariantList list;
    for (const auto& [time, message] : m_entries)
        if (list.size() < kKeptOverStarts)
            list << QVariantMap{
                {kTime, time}, {kSeverity, int(message.severity)}, {kText, message.text}, {kDetails, message.details}};
    return list;
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

QVariant MessageLog::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& [time, message] = m_entries[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return message.text;
    case Qt::ToolTipRole:
        return plainToolTip(message.text);
    case kTimeRole:
        return Numbers::moment(time.toMSecsSinceEpoch() * 1'000'000);
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
