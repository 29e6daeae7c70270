// SPDX-License-Identifier: MIT
// The program `ringside` itself: command line, and what it says where there is no display.
#include "app/text/text.h"
#include "tests/support/built.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <unistd.h>

namespace ringside {

namespace {

struct Outcome
{
    int exitCode = -1;
    QString out, err;
};

Outcome run(const QStringList& arguments, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(toQt(test::builtProgram("ringside")), arguments);
    if (!process.waitForFinished(20'000) || process.exitStatus() != QProcess::NormalExit)
        return {-1, {}, process.errorString()};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QProcessEnvironment withoutDisplay()
{
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const auto& name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromLatin1(name));
    return environment;
}

/// Resident memory in bytes, from /proc.
qint64 memoryOf(qint64 pid)
{
    QFile statm(QStringLiteral("/proc/%1/statm").arg(pid));
    if (!statm.open(QIODevice::ReadOnly))
        return -1;
    return statm.readAll().split(' ').value(1).toLongLong() * sysconf(_SC_PAGESIZE);
}

} // namespace

class ProgramTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void withoutDisplaySaysWhatInstead()
    {
        const auto outcome = run({}, withoutDisplay());
        QCOMPARE(outcome.exitCode, 69);
        QCOMPARE(outcome.err, QStringLiteral("ringside: no display found (DISPLAY and WAYLAND_DISPLAY are empty). "
                                             "Use “ringside-cli run FILE.toml”, or ssh -X.\n"));
    }

    void aDisplayThatDoesNotAnswerIsNone()
    {
        auto environment = withoutDisplay();
        environment.insert(QStringLiteral("DISPLAY"), QStringLiteral(":4711"));
        environment.insert(QStringLiteral("WAYLAND_DISPLAY"), QString());
        const auto outcome = run({QStringLiteral("--example")}, environment);
        QCOMPARE(outcome.exitCode, 69);
        QVERIFY2(outcome.err.contains(QStringLiteral(":4711")), qPrintable(outcome.err));
    }

    void helpAndVersionNeedNoDisplay()
    {
        const auto help = run({QStringLiteral("--help")}, withoutDisplay());
        QCOMPARE(help.exitCode, 0);
        QVERIFY(help.out.contains(QStringLiteral("--store")));
        QCOMPARE(run({QStringLiteral("--version")}, withoutDisplay()).out,
                 QStringLiteral("Ringside " RINGSIDE_VERSION "\n"));
    }

    void wrongOptionsAreUsage()
    {
        QCOMPARE(run({QStringLiteral("--no-such-option")}, withoutDisplay()).exitCode, 2);
        QCOMPARE(run({QStringLiteral("--example"), QStringLiteral("some.toml")}, withoutDisplay()).exitCode, 2);
    }

    void startsSmallAndEndsWhenAsked()
    {
        QTemporaryDir home;
        auto environment = QProcessEnvironment::systemEnvironment();
        for (const auto& name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"})
            environment.insert(QString::fromLatin1(name), home.path());
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(toQt(test::builtProgram("ringside")), {});
        QVERIFY(process.waitForStarted());
        const QString store = home.filePath(QStringLiteral("ringside/ringside.db"));
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(store); }, 20'000));
        QTest::qWait(1000);
        const qint64 memory = memoryOf(process.processId());
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // which hold more
        QVERIFY(memory > 0);
#else
        QVERIFY2(memory > 0 && memory < 150'000'000, qPrintable(QStringLiteral("%1 bytes").arg(memory)));
#endif
        process.terminate();
        QVERIFY(process.waitForFinished(20'000));
    }
};

} // namespace ringside

QTEST_GUILESS_MAIN(ringside::ProgramTest)
#include "test_program.moc"
