<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Words</name>
    <message numerus="yes">
        <source>{} cores</source>
        <comment>{} core</comment>
        <translation>
            <numerusform>{} core</numerusform>
            <numerusform>{} cores</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} CPU ranks</source>
        <comment>{} CPU rank</comment>
        <translation>
            <numerusform>{} CPU rank</numerusform>
            <numerusform>{} CPU ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} GPUs</source>
        <comment>{} GPU</comment>
        <translation>
            <numerusform>{} GPU</numerusform>
            <numerusform>{} GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} ranks</source>
        <comment>{} rank</comment>
        <translation>
            <numerusform>{} rank</numerusform>
            <numerusform>{} ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>More than {} levels.</source>
        <comment>More than {} level.</comment>
        <translation>
            <numerusform>More than {} level.</numerusform>
            <numerusform>More than {} levels.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} nodes</source>
        <comment>{} node</comment>
        <translation>
            <numerusform>{} node</numerusform>
            <numerusform>{} nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Repeats: {} give no 95 % interval; {} is the fewest.</source>
        <comment>Repeats: {} gives no 95 % interval; {} is the fewest.</comment>
        <translation>
            <numerusform>Repeats: {} gives no 95 % interval; {} is the fewest.</numerusform>
            <numerusform>Repeats: {} give no 95 % interval; {} is the fewest.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Base case: {} combinations without one with {}, so without a speed-up.</source>
        <comment>Base case: {} combination without one with {}, so without a speed-up.</comment>
        <translation>
            <numerusform>Base case: {} combination without one with {}, so without a speed-up.</numerusform>
            <numerusform>Base case: {} combinations without one with {}, so without a speed-up.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} configurations</source>
        <comment>{} configuration</comment>
        <translation>
            <numerusform>{} configuration</numerusform>
            <numerusform>{} configurations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} repeats</source>
        <comment>{} repeat</comment>
        <translation>
            <numerusform>{} repeat</numerusform>
            <numerusform>{} repeats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} configurations; at most {} are allowed.</source>
        <comment>{} configuration; at most {} are allowed.</comment>
        <translation>
            <numerusform>{} configuration; at most {} are allowed.</numerusform>
            <numerusform>{} configurations; at most {} are allowed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Batch: {1} images on {2} need at least {3}; {4} has {5}.</source>
        <comment>Batch: {1} image on {2} needs at least {3}; {4} has {5}.</comment>
        <translation>
            <numerusform>Batch: {1} image on {2} needs at least {3}; {4} has {5}.</numerusform>
            <numerusform>Batch: {1} images on {2} need at least {3}; {4} has {5}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Plan: “none” is for a single rank; {} ranks would train apart.</source>
        <comment>Plan: “none” is for a single rank; {} rank would train apart.</comment>
        <translation>
            <numerusform>Plan: “none” is for a single rank; {} rank would train apart.</numerusform>
            <numerusform>Plan: “none” is for a single rank; {} ranks would train apart.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>more than {} dots in one key.</source>
        <comment>more than {} dot in one key.</comment>
        <translation>
            <numerusform>more than {} dot in one key.</numerusform>
            <numerusform>more than {} dots in one key.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} runs</source>
        <comment>{} run</comment>
        <translation>
            <numerusform>{} run</numerusform>
            <numerusform>{} runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The levels make {} combinations; at most {} are looked at.</source>
        <comment>The levels make {} combination; at most {} are looked at.</comment>
        <translation>
            <numerusform>The levels make {} combination; at most {} are looked at.</numerusform>
            <numerusform>The levels make {} combinations; at most {} are looked at.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} conditionals and exclusions are too many for {} combinations.</source>
        <comment>{} conditional or exclusion is too many for {} combinations.</comment>
        <translation>
            <numerusform>{} conditional or exclusion is too many for {} combinations.</numerusform>
            <numerusform>{} conditionals and exclusions are too many for {} combinations.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} equal buckets</source>
        <comment>{} equal bucket</comment>
        <translation>
            <numerusform>{} equal bucket</numerusform>
            <numerusform>{} equal buckets</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} asynchronous servers</source>
        <comment>{} asynchronous server</comment>
        <translation>
            <numerusform>{} asynchronous server</numerusform>
            <numerusform>{} asynchronous servers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} servers</source>
        <comment>{} server</comment>
        <translation>
            <numerusform>{} server</numerusform>
            <numerusform>{} servers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} server ranks {} update the weights for each worker apart</source>
        <comment>{} server rank {} updates the weights for each worker apart</comment>
        <translation>
            <numerusform>{} server rank {} updates the weights for each worker apart</numerusform>
            <numerusform>{} server ranks {} update the weights for each worker apart</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} server ranks {} add them up and update the weights</source>
        <comment>{} server rank {} adds them up and updates the weights</comment>
        <translation>
            <numerusform>{} server rank {} adds them up and updates the weights</numerusform>
            <numerusform>{} server ranks {} add them up and update the weights</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} agents ({})</source>
        <comment>{} agent ({})</comment>
        <translation>
            <numerusform>{} agent ({})</numerusform>
            <numerusform>{} agents ({})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} workers ({})</source>
        <comment>{} worker ({})</comment>
        <translation>
            <numerusform>{} worker ({})</numerusform>
            <numerusform>{} workers ({})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} sources ({})</source>
        <comment>{} source ({})</comment>
        <translation>
            <numerusform>{} source ({})</numerusform>
            <numerusform>{} sources ({})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} torches ({})</source>
        <comment>{} torch ({})</comment>
        <translation>
            <numerusform>{} torch ({})</numerusform>
            <numerusform>{} torches ({})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} campaigns ({})</source>
        <comment>{} campaign ({})</comment>
        <translation>
            <numerusform>{} campaign ({})</numerusform>
            <numerusform>{} campaigns ({})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} runs ({})</source>
        <comment>{} run ({})</comment>
        <translation>
            <numerusform>{} run ({})</numerusform>
            <numerusform>{} runs ({})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Batch: {1} sequences on {2} need at least {3}; {4} has {5}.</source>
        <comment>Batch: {1} sequence on {2} needs at least {3}; {4} has {5}.</comment>
        <translation>
            <numerusform>Batch: {1} sequence on {2} needs at least {3}; {4} has {5}.</numerusform>
            <numerusform>Batch: {1} sequences on {2} need at least {3}; {4} has {5}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The files of {} ranks have no end.</source>
        <comment>The file of {} rank has no end.</comment>
        <translation>
            <numerusform>The file of {} rank has no end.</numerusform>
            <numerusform>The files of {} ranks have no end.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} samples were lost because the site's disk was full.</source>
        <comment>{} sample was lost because the site's disk was full.</comment>
        <translation>
            <numerusform>{} sample was lost because the site's disk was full.</numerusform>
            <numerusform>{} samples were lost because the site's disk was full.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>In {} samples the loss was not a number.</source>
        <comment>In {} sample the loss was not a number.</comment>
        <translation>
            <numerusform>In {} sample the loss was not a number.</numerusform>
            <numerusform>In {} samples the loss was not a number.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} runs and their samples (about {}) would be deleted for good. Archived, they leave the list and can be restored.</source>
        <comment>{} run and its samples (about {}) would be deleted for good. Archived, it leaves the list and can be restored.</comment>
        <translation>
            <numerusform>{} run and its samples (about {}) would be deleted for good. Archived, it leaves the list and can be restored.</numerusform>
            <numerusform>{} runs and their samples (about {}) would be deleted for good. Archived, they leave the list and can be restored.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All {} finished runs of “{}” are left out: {}.</source>
        <comment>The only finished run of “{1}” is left out: {2}.</comment>
        <translation>
            <numerusform>The only finished run of “{1}” is left out: {2}.</numerusform>
            <numerusform>All {} finished runs of “{}” are left out: {}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{1}: its servers need {0} nodes of their own; with {2} for the ranks that is more than {3} has ({4}).</source>
        <comment>{1}: its servers need {0} node of their own; with {2} for the ranks that is more than {3} has ({4}).</comment>
        <translation>
            <numerusform>{1}: its servers need {0} node of their own; with {2} for the ranks that is more than {3} has ({4}).</numerusform>
            <numerusform>{1}: its servers need {0} nodes of their own; with {2} for the ranks that is more than {3} has ({4}).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} files are not logs and were skipped.</source>
        <comment>{} file is not a log and was skipped.</comment>
        <translation>
            <numerusform>{} file is not a log and was skipped.</numerusform>
            <numerusform>{} files are not logs and were skipped.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} runs in it have no rate that can be used, and are left out.</source>
        <comment>{} run in it has no rate that can be used, and is left out.</comment>
        <translation>
            <numerusform>{} run in it has no rate that can be used, and is left out.</numerusform>
            <numerusform>{} runs in it have no rate that can be used, and are left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} lines look like records but are damaged, and were left out; this is the first.</source>
        <comment>The line looks like a record but is damaged, and was left out.</comment>
        <translation>
            <numerusform>The line looks like a record but is damaged, and was left out.</numerusform>
            <numerusform>{} lines look like records but are damaged, and were left out; this is the first.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} records report less time than passed since the line before, although that is as long as for the other records, and were not used; this is the first ({:.4g} s against {:.4g} s).</source>
        <comment>It reports {1:.4g} s, but {2:.4g} s passed since the line before, as for the other records; it was not used.</comment>
        <translation>
            <numerusform>It reports {1:.4g} s, but {2:.4g} s passed since the line before, as for the other records; it was not used.</numerusform>
            <numerusform>{} records report less time than passed since the line before, although that is as long as for the other records, and were not used; this is the first ({:.4g} s against {:.4g} s).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} lines are too long and were cut.</source>
        <comment>{} line is too long and was cut.</comment>
        <translation>
            <numerusform>{} line is too long and was cut.</numerusform>
            <numerusform>{} lines are too long and were cut.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{1} ({0} times)</source>
        <comment>{1}</comment>
        <translation>
            <numerusform>{1}</numerusform>
            <numerusform>{1} ({0} times)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of all {} ranks</source>
        <comment>of {} rank</comment>
        <translation>
            <numerusform>of {} rank</numerusform>
            <numerusform>of all {} ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of one of {} ranks</source>
        <comment>of {} rank</comment>
        <translation>
            <numerusform>of {} rank</numerusform>
            <numerusform>of one of {} ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} systems ({})</source>
        <comment>{} system ({})</comment>
        <translation>
            <numerusform>{} system ({})</numerusform>
            <numerusform>{} systems ({})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{1} ended after {2} of {3} iterations, and {0} processes that it left running in the background were ended. Start the training in the foreground.</source>
        <comment>{1} ended after {2} of {3} iterations, and {0} process that it left running in the background was ended. Start the training in the foreground.</comment>
        <translation>
            <numerusform>{1} ended after {2} of {3} iterations, and {0} process that it left running in the background was ended. Start the training in the foreground.</numerusform>
            <numerusform>{1} ended after {2} of {3} iterations, and {0} processes that it left running in the background were ended. Start the training in the foreground.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The run needs {1} nodes, and there are {0}.</source>
        <comment>The run needs {1} nodes, and there is {0}.</comment>
        <translation>
            <numerusform>The run needs {1} nodes, and there is {0}.</numerusform>
            <numerusform>The run needs {1} nodes, and there are {0}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} ranks need {}, which is not in PATH.</source>
        <comment>{} rank needs {}, which is not in PATH.</comment>
        <translation>
            <numerusform>{} rank needs {}, which is not in PATH.</numerusform>
            <numerusform>{} ranks need {}, which is not in PATH.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{1} are left out of the small form: this computer does not have them.</source>
        <comment>{1} is left out of the small form: this computer does not have it.</comment>
        <translation>
            <numerusform>{1} is left out of the small form: this computer does not have it.</numerusform>
            <numerusform>{1} are left out of the small form: this computer does not have them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} processes beside them</source>
        <comment>{} process beside them</comment>
        <translation>
            <numerusform>{} process beside them</numerusform>
            <numerusform>{} processes beside them</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{} combinations are left out for {}</source>
        <comment>{} combination is left out for {}</comment>
        <translation>
            <numerusform>{} combination is left out for {}</numerusform>
            <numerusform>{} combinations are left out for {}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::CalibrateDialog</name>
    <message numerus="yes">
        <source>About %1 on %n node(s), once it has begun.</source>
        <translation>
            <numerusform>About %1 on %n node, once it has begun.</numerusform>
            <numerusform>About %1 on %n nodes, once it has begun.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::CalibrationWords</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n core(s) each</source>
        <translation>
            <numerusform>%n core each</numerusform>
            <numerusform>%n cores each</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::CancelDialog</name>
    <message numerus="yes">
        <source>All that are waiting (%n run(s)); what is running continues</source>
        <translation>
            <numerusform>All that are waiting (%n run); what is running continues</numerusform>
            <numerusform>All that are waiting (%n runs); what is running continues</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n run(s)</source>
        <translation>
            <numerusform>Cancel %n run</numerusform>
            <numerusform>Cancel %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Everything (%n run(s))</source>
        <translation>
            <numerusform>Everything (%n run)</numerusform>
            <numerusform>Everything (%n runs)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::ChecksList</name>
    <message numerus="yes">
        <source>%n more under Checks</source>
        <translation>
            <numerusform>%n more under Checks</numerusform>
            <numerusform>%n more under Checks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::CleanUpDialog</name>
    <message numerus="yes">
        <source>Delete %n folder(s) (%1)</source>
        <translation>
            <numerusform>Delete %n folder (%1)</numerusform>
            <numerusform>Delete %n folders (%1)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::DeleteWords</name>
    <message numerus="yes">
        <source>Delete %n experiments?</source>
        <translation>
            <numerusform>Delete %n experiments?</numerusform>
            <numerusform>Delete %n experiments?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n run(s)</source>
        <translation>
            <numerusform>Delete %n run</numerusform>
            <numerusform>Delete %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::DraftsButton</name>
    <message numerus="yes">
        <source>%n not saved</source>
        <comment>drafts</comment>
        <translation>
            <numerusform>%n not saved</numerusform>
            <numerusform>%n not saved</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::EditorPage</name>
    <message numerus="yes">
        <source>Launch %n run(s)…</source>
        <translation>
            <numerusform>Launch %n run…</numerusform>
            <numerusform>Launch %n runs…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::EndWords</name>
    <message numerus="yes">
        <source>%n failed</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cancelled</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%n cancelled</numerusform>
            <numerusform>%n cancelled</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::ExperimentDetails</name>
    <message numerus="yes">
        <source>%n run(s) in all</source>
        <translation>
            <numerusform>%n run in all</numerusform>
            <numerusform>%n runs in all</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::ExperimentForm</name>
    <message numerus="yes">
        <source>%n combination(s) excluded</source>
        <translation>
            <numerusform>%n combination excluded</numerusform>
            <numerusform>%n combinations excluded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n condition(s) set other values</source>
        <translation>
            <numerusform>%n condition sets other values</numerusform>
            <numerusform>%n conditions set other values</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::ExperimentsPage</name>
    <message numerus="yes">
        <source>%n experiment(s)</source>
        <translation>
            <numerusform>%n experiment</numerusform>
            <numerusform>%n experiments</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n shown</source>
        <comment>experiments</comment>
        <translation>
            <numerusform>%n shown</numerusform>
            <numerusform>%n shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::ExportDialog</name>
    <message numerus="yes">
        <source>Export %n file(s)</source>
        <translation>
            <numerusform>Export %n file</numerusform>
            <numerusform>Export %n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) exist: %1</source>
        <translation>
            <numerusform>%n file exists: %1</numerusform>
            <numerusform>%n files exist: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) exported to %1.</source>
        <translation>
            <numerusform>%n file exported to %1.</numerusform>
            <numerusform>%n files exported to %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The other %n file(s) are there.</source>
        <translation>
            <numerusform>The other file is there.</numerusform>
            <numerusform>The other %n files are there.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::FacetsCard</name>
    <message numerus="yes">
        <source>%1 of %n run(s) chosen</source>
        <translation>
            <numerusform>%1 of %n run chosen</numerusform>
            <numerusform>%1 of %n runs chosen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::FactorRow</name>
    <message numerus="yes">
        <source>%n level(s)</source>
        <translation>
            <numerusform>%n level</numerusform>
            <numerusform>%n levels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::HostsDialog</name>
    <message numerus="yes">
        <source>Add %n site(s)</source>
        <translation>
            <numerusform>Add %n site</numerusform>
            <numerusform>Add %n sites</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::ImportDialog</name>
    <message numerus="yes">
        <source>%n files and folders</source>
        <translation>
            <numerusform>%n file or folder</numerusform>
            <numerusform>%n files and folders</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Import %n run(s)</source>
        <translation>
            <numerusform>Import %n run</numerusform>
            <numerusform>Import %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n log(s) have no readable rate and are left out.</source>
        <translation>
            <numerusform>%n log has no readable rate and is left out.</numerusform>
            <numerusform>%n logs have no readable rate and are left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n logs or runs were not imported. The first: %1</source>
        <translation>
            <numerusform>%n log or run was not imported. The first: %1</numerusform>
            <numerusform>%n logs or runs were not imported. The first: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) are not logs and were skipped; the first: %1.</source>
        <translation>
            <numerusform>%n file is not a log and was skipped: %1.</numerusform>
            <numerusform>%n files are not logs and were skipped; the first: %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n log(s) cannot be read and were skipped; the first: %1</source>
        <translation>
            <numerusform>%n log cannot be read and was skipped: %1</numerusform>
            <numerusform>%n logs cannot be read and were skipped; the first: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::LaunchDialog</name>
    <message numerus="yes">
        <source>Launch %n run(s)</source>
        <translation>
            <numerusform>Launch %n run</numerusform>
            <numerusform>Launch %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Launch %n run(s) on %1?</source>
        <translation>
            <numerusform>Launch %n run on %1?</numerusform>
            <numerusform>Launch %n runs on %1?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The first of %n job script(s), as it is submitted</source>
        <translation>
            <numerusform>The first of %n job script, as it is submitted</numerusform>
            <numerusform>The first of %n job scripts, as it is submitted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n job(s)</source>
        <translation>
            <numerusform>%n job</numerusform>
            <numerusform>%n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) to be done</source>
        <translation>
            <numerusform>%n run to be done</numerusform>
            <numerusform>%n runs to be done</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::LoadCard</name>
    <message numerus="yes">
        <source>%1, shared with %n process(es) of others</source>
        <translation>
            <numerusform>%1, shared with %n process(es) of others</numerusform>
            <numerusform>%1, shared with %n process(es) of others</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::MainWindow</name>
    <message numerus="yes">
        <source>%n runs failed; the first: %1</source>
        <translation>
            <numerusform>%n runs failed; the first: %1</numerusform>
            <numerusform>%n runs failed; the first: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n need(s) you</source>
        <translation>
            <numerusform>%n needs you</numerusform>
            <numerusform>%n need you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <comment>sites</comment>
        <translation>
            <numerusform>%n refused</numerusform>
            <numerusform>%n refused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::MonitorPage</name>
    <message numerus="yes">
        <source>Retry %n failed</source>
        <translation>
            <numerusform>Retry %n failed</numerusform>
            <numerusform>Retry %n failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::PhasesCard</name>
    <message numerus="yes">
        <source>an iteration, median of the last %n record(s) of several</source>
        <translation>
            <numerusform>an iteration, median of the last %n record of several</numerusform>
            <numerusform>an iteration, median of the last %n records of several</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>median of the last %n iteration(s)</source>
        <translation>
            <numerusform>median of the last %n iteration</numerusform>
            <numerusform>median of the last %n iterations</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::PlansDialog</name>
    <message numerus="yes">
        <source>Use %n plan(s)</source>
        <translation>
            <numerusform>Use %n plan</numerusform>
            <numerusform>Use %n plans</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::RunModel</name>
    <message numerus="yes">
        <source>%n more wait</source>
        <comment>folded row of waiting runs</comment>
        <translation>
            <numerusform>%n more wait</numerusform>
            <numerusform>%n more wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::RunsCard</name>
    <message numerus="yes">
        <source>%n done</source>
        <translation>
            <numerusform>%n done</numerusform>
            <numerusform>%n done</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n running</numerusform>
            <numerusform>%n running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued</source>
        <translation>
            <numerusform>%n queued</numerusform>
            <numerusform>%n queued</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cancelled</source>
        <translation>
            <numerusform>%n cancelled</numerusform>
            <numerusform>%n cancelled</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n unknown</source>
        <translation>
            <numerusform>%n unknown</numerusform>
            <numerusform>%n unknown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n disturbed</source>
        <translation>
            <numerusform>%n disturbed</numerusform>
            <numerusform>%n disturbed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n held</source>
        <translation>
            <numerusform>%n held</numerusform>
            <numerusform>%n held</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::SitesPage</name>
    <message numerus="yes">
        <source>%n stayed: %1</source>
        <translation>
            <numerusform>%n stayed: %1</numerusform>
            <numerusform>%n stayed: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n site(s)</source>
        <translation>
            <numerusform>%n site</numerusform>
            <numerusform>%n sites</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::StatusArea</name>
    <message numerus="yes">
        <source>%n new message(s)</source>
        <translation>
            <numerusform>%n new message</numerusform>
            <numerusform>%n new messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation>
            <numerusform>%n message</numerusform>
            <numerusform>%n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::SummaryCard</name>
    <message numerus="yes">
        <source>%n configuration(s)</source>
        <translation>
            <numerusform>%n configuration</numerusform>
            <numerusform>%n configurations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n repeat(s)</source>
        <translation>
            <numerusform>%n repeat</numerusform>
            <numerusform>%n repeats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>with %n core(s) each</source>
        <translation>
            <numerusform>with %n core each</numerusform>
            <numerusform>with %n cores each</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>missing of %n</source>
        <comment>runs</comment>
        <translation>
            <numerusform>missing of %n</numerusform>
            <numerusform>missing of %n</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::ThroughputCard</name>
    <message numerus="yes">
        <source>median of %n iteration(s), band: min to max</source>
        <translation>
            <numerusform>median of %n iteration, band: min to max</numerusform>
            <numerusform>median of %n iterations, band: min to max</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>median of %n s, band: min to max</source>
        <translation>
            <numerusform>median of %n s, band: min to max</numerusform>
            <numerusform>median of %n s, band: min to max</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::WorkProgressBar</name>
    <message numerus="yes">
        <source>%1 of %n run(s)</source>
        <comment>ended runs</comment>
        <translation>
            <numerusform>%1 of %n run</numerusform>
            <numerusform>%1 of %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ringside::WorkTracker</name>
    <message numerus="yes">
        <source>%n running</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%n running</numerusform>
            <numerusform>%n running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%n queued</numerusform>
            <numerusform>%n queued</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without contact</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%n without contact</numerusform>
            <numerusform>%n without contact</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n held</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%n held</numerusform>
            <numerusform>%n held</numerusform>
        </translation>
    </message>
</context>
</TS>
