// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/programlog.h"

#include "app/text/text.h"

#include "core/base/text.h"

#include <QDateTime>
#include <atomic>

namespace ringside {

namespace {

// Qt calls a plain function, so it finds the log here.
std::mutex captureMutex;
ProgramLog* captured = nullptr; // guarded by captureMutex
std::atomic<QtMessageHandler> before = nullptr;

QString nameOf(QtMsgType type)
{
    switch (type) {
    case QtDebugMsg:
        return QStringLiteral("debug");
    case QtInfoMsg:
        return QStringLiteral("info");
    case QtWarningMsg:
        return QStringLiteral("warning");
    case QtCriticalMsg:
        return QStringLiteral("critical");
    case QtFatalMsg:
        return QStringLiteral("fatal");
    }
    return {};
}

void keep(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    {
        const std::lock_guard lock(captureMutex);
        if (captured)
            captured->add(nameOf(type) + QLatin1Char(' ') + QLatin1String(context.category), text);
    }
    if (const QtMessageHandler next = before)
        next(type, context, text);
}

} // namespace

void ProgramLog::add(const QString& from, const QString& text)
{
    const QString start =
        QDateTime::currentDateTime().toString(Qt::ISODate) + QLatin1Char(' ') + from + QStringLiteral(": ");
    const QString plain = toQt(plainText(toUtf8(text)));
    const std::lock_guard lock(m_mutex);
    for (const QString& line : plain.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        m_lines.push_back(start + line.left(kMostOfALine));
        if (m_lines.size() > kKept)
            m_lines.pop_front();
    }
}

QStringList ProgramLog::lines() const
{
    const std::lock_guard lock(m_mutex);
    return {m_lines.begin(), m_lines.end()};
}

MessageCapture::MessageCapture(ProgramLog& log)
{
    {
        const std::lock_guard lock(captureMutex);
        Q_ASSERT(!captured);
        captured = &log;
    }
    before = qInstallMessageHandler(keep);
}

MessageCapture::~MessageCapture()
{
    qInstallMessageHandler(before);
    const std::lock_guard lock(captureMutex);
    captured = nullptr;
}

} // namespace ringside
