//! The table of cmdlets.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::params::{CmdletCall, CmdletDef};
use super::{items, network, pipeline, properties, run, system, values};
use crate::OperationTag::{self, Startup};
use crate::walk::{CommandWalk, TextFlow};
use crate::{
    OperationKind,
    OperationKind::{Privilege, Secret, System},
};

const fn cmdlet(
    names: &'static str,
    params: &'static str,
    run: fn(&mut CommandWalk<'_>, &CmdletCall<'_>) -> TextFlow,
) -> CmdletDef {
    CmdletDef { names, params, run }
}

static TABLE: &[CmdletDef] = &[
    // Files.
    cmdlet(
        "Remove-Item ri rm del rd erase rmdir",
        "path* literalpath* pspath* recurse force filter* include* exclude* credential* stream*",
        items::run_remove,
    ),
    cmdlet("Clear-RecycleBin", "driveletter* force", pipeline::run_text),
    cmdlet(
        "Set-Content sc",
        "path* literalpath* value* force encoding* nonewline passthru filter* include* exclude* asbytestream stream*",
        items::run_write,
    ),
    cmdlet(
        "Add-Content ac",
        "path* literalpath* value* force encoding* nonewline passthru filter* include* exclude* asbytestream stream*",
        items::run_write,
    ),
    cmdlet("Clear-Content clc", "path* literalpath* force filter* include* exclude* stream*", items::run_clear),
    cmdlet(
        "Out-File",
        "filepath* literalpath* append encoding* force noclobber nonewline width* inputobject*",
        items::run_write,
    ),
    cmdlet("Tee-Object tee", "filepath* literalpath* variable* append inputobject* encoding*", items::run_tee),
    cmdlet(
        "Export-Csv epcsv Export-Clixml Export-PfxCertificate Export-Certificate Start-Transcript",
        "path* literalpath* inputobject* append notypeinformation nti force encoding* delimiter* useculture noclobber \
         usequotes* depth* cert* password* filepath* outputdirectory* includeinvocationheader",
        items::run_write,
    ),
    cmdlet("New-Item ni", "path* name* itemtype* type* value* target* force credential* literalpath*", items::run_new),
    cmdlet("mkdir md", "path* name* force", items::run_make_directory),
    cmdlet(
        "Copy-Item cp copy cpi",
        "path* literalpath* destination* recurse force container filter* include* exclude* passthru tosession* \
         fromsession* credential*",
        items::run_copy,
    ),
    cmdlet(
        "Move-Item mv move mi",
        "path* literalpath* destination* force filter* include* exclude* passthru credential*",
        items::run_move,
    ),
    cmdlet("Rename-Item ren rni", "path* literalpath* newname* force passthru credential*", items::run_rename),
    cmdlet(
        "Get-Content gc cat type",
        "path* literalpath* raw encoding* totalcount* head* first* tail* last* wait delimiter* readcount* filter* \
         include* exclude* force asbytestream stream*",
        items::run_read,
    ),
    cmdlet(
        "Import-Csv ipcsv Import-Clixml Import-PowerShellDataFile Format-Hex fhx Unblock-File",
        "path* literalpath* delimiter* header* encoding* useculture inputobject* count* offset*",
        items::run_read,
    ),
    cmdlet(
        "Get-ChildItem gci ls dir",
        "path* literalpath* filter* recurse include* exclude* depth* force name file directory ad af hidden system \
         readonly attributes* followsymlink",
        items::run_list,
    ),
    cmdlet("Get-Item gi", "path* literalpath* filter* include* exclude* force stream*", items::run_get),
    cmdlet("Resolve-Path rvpa Convert-Path cvpa", "path* literalpath* relative relativebasepath*", items::run_get),
    cmdlet(
        "Select-String sls",
        "pattern* path* literalpath* inputobject* simplematch casesensitive quiet list include* exclude* notmatch \
         allmatches encoding* context* raw noemphasis culture*",
        items::run_search,
    ),
    cmdlet(
        "Compress-Archive",
        "path* literalpath* destinationpath* update force compressionlevel* passthru",
        items::run_pack,
    ),
    cmdlet("Expand-Archive", "path* literalpath* destinationpath* force passthru", items::run_unpack),
    cmdlet(
        "Set-Acl icacls cacls takeown attrib",
        "path* literalpath* aclobject* passthru include* exclude* filter*",
        properties::run_permission,
    ),
    cmdlet(
        "Set-Item si Set-ItemProperty sp New-ItemProperty Remove-ItemProperty rp Rename-ItemProperty rnp \
         Clear-Item cli Clear-ItemProperty clp Copy-ItemProperty cpp Move-ItemProperty mp",
        "path* literalpath* name* value* force type* propertytype* newname* destination* passthru inputobject* include* \
         exclude* filter*",
        properties::run_property,
    ),
    cmdlet(
        "Get-ItemProperty gp Get-ItemPropertyValue gpv",
        "path* literalpath* name* filter*",
        properties::run_get_property,
    ),
    cmdlet("Set-Location cd sl chdir Push-Location pushd", "path* literalpath* stackname* passthru", items::run_enter),
    cmdlet("Join-Path", "path* childpath* additionalchildpath* resolve", values::run_join_path),
    cmdlet("Split-Path", "path* literalpath* parent leaf leafbase extension qualifier resolve", values::run_split_path),
    cmdlet("New-TemporaryFile", "", values::run_temporary),
    cmdlet("Get-Location gl pwd", "", values::run_location),
    // Text and objects.
    cmdlet(
        "Write-Output echo write Write-Host Write-Information Write-Verbose Write-Warning Write-Error Write-Debug",
        "inputobject* object* message* messagedata* foregroundcolor* backgroundcolor* nonewline separator* \
         noenumerate category* tags*",
        pipeline::run_print,
    ),
    cmdlet(
        "ForEach-Object foreach %",
        "process* begin* end* membername* argumentlist* parallel* throttlelimit* inputobject* remainingscripts*",
        pipeline::run_each,
    ),
    cmdlet("Where-Object where ?", WHERE, pipeline::run_filter),
    cmdlet(
        "Select-Object select Sort-Object sort Format-Table ft Format-List fl Format-Wide fw Format-Custom fc Out-String \
         oss ConvertTo-Json ConvertFrom-Json ConvertTo-Csv ConvertFrom-Csv ConvertTo-Xml ConvertTo-Html Out-Host oh \
         Out-Default Get-Unique gu Out-GridView ConvertFrom-StringData Add-Member Tee-Output",
        "property* first* last* skip* unique expandproperty* excludeproperty* index* wait descending culture* \
         casesensitive top* bottom* stable autosize wrap groupby* view* hidetableheaders stream width* depth* compress \
         ashashtable asarray inputobject* delimiter* notypeinformation nti enumsasstrings membertype* name* value* \
         header* skiplast* paging transcript passthru force",
        pipeline::run_pass,
    ),
    cmdlet(
        "Measure-Object measure Measure-Command Group-Object group Compare-Object compare Get-FileHash Test-Path \
         Get-Date date Get-Random New-Guid Get-Command gcm Get-Help help Get-Member gm Get-Verb Get-Module gmo \
         Test-Connection Start-Sleep sleep Clear-Host cls clear Get-Host Read-Host Set-StrictMode Pop-Location popd \
         Get-Service gsv Get-Process gps ps Get-Alias gal Wait-Process Wait-Job Remove-Job Stop-Job Get-Job \
         Import-Module ipmo Remove-Module Remove-Variable rv Get-TypeData Write-Progress Set-PSDebug Stop-Transcript \
         Test-NetConnection tnc Resolve-DnsName Get-PSReadLineOption Set-PSReadLineOption Get-Culture Get-Acl man",
        "path* name* id* property* line word character sum average minimum maximum allstats referenceobject* \
         differenceobject* inputobject* algorithm* format* uformat* literalpath* pathtype* isvalid include* exclude* \
         filter* seconds* milliseconds* prompt* expression* count* module* commandtype* all full examples force version* \
         asstring assecurestring quiet targetname* computername* port* type* server* activity* status* year* month* day* \
         date* asutc listavailable membertype* static scope* timeout* includeusername fileversioninfo noelement \
         ashashtable syntaxhighlight syncwindow* includeequal excludedifferent passthru minimumversion* \
         requiredversion* off trace* completed percentcomplete* currentoperation* syntax online parameter* duration*",
        pipeline::run_text,
    ),
    cmdlet("Out-Null Out-Printer", "inputobject* name*", pipeline::run_nowhere),
    cmdlet("Set-Clipboard scb clip", "value* path* literalpath* append", pipeline::run_nowhere),
    cmdlet("Get-Clipboard gcb", "format* raw textformattype* delimiter*", pipeline::run_clipboard),
    cmdlet(
        "Set-Variable sv set New-Variable nv",
        "name* value* scope* option* force visibility* description*",
        values::run_set_variable,
    ),
    cmdlet("Get-Variable gv", "name* valueonly scope* include* exclude*", values::run_get_variable),
    cmdlet("Set-Alias sal New-Alias nal", "name* value* scope* option* force description* passthru", values::run_alias),
    // The network.
    cmdlet("Invoke-WebRequest iwr curl wget", REQUEST, network::run_request),
    cmdlet("Invoke-RestMethod irm", REQUEST, network::run_request),
    cmdlet(
        "Start-BitsTransfer",
        "source* destination* transfertype* asynchronous credential* displayname* description* priority* dynamic",
        network::run_bits,
    ),
    cmdlet(
        "Send-MailMessage",
        "to* from* subject* body* attachments* smtpserver* port* usessl credential* bodyashtml cc* bcc* encoding* \
         priority*",
        network::run_mail,
    ),
    // What runs something.
    cmdlet("Invoke-Expression iex", "command*", run::run_expression),
    cmdlet(
        "Start-Process saps start",
        "filepath* argumentlist* args* verb* workingdirectory* wait nonewwindow passthru windowstyle* credential* \
         redirectstandardoutput* redirectstandarderror* redirectstandardinput* rse* rso* rsi* loaduserprofile \
         usenewenvironment environment*",
        run::run_start,
    ),
    cmdlet("Invoke-Item ii", "path* literalpath*", run::run_open),
    cmdlet(
        "Invoke-Command icm",
        "scriptblock* command* computername* cn* session* filepath* argumentlist* args* credential* asjob hostname* \
         username* keyfilepath* vmname* containerid* usessl port* authentication* configurationname* nonewscope",
        run::run_invoke_command,
    ),
    cmdlet(
        "Start-Job sajb Start-ThreadJob Register-ObjectEvent Register-EngineEvent",
        "scriptblock* command* filepath* argumentlist* args* name* initializationscript* action* inputobject* eventname* \
         sourceidentifier* throttlelimit* workingdirectory*",
        run::run_job,
    ),
    cmdlet("Receive-Job rcjb", "job* id* name* wait keep autoremovejob", pipeline::run_pass),
    cmdlet(
        "Invoke-WmiMethod iwmi Invoke-CimMethod icim",
        "class* classname* name* methodname* argumentlist* arguments* path* computername* query* namespace* \
         inputobject* cimsession* filter*",
        run::run_wmi,
    ),
    cmdlet(
        "Get-WmiObject gwmi Get-CimInstance gcim",
        "class* classname* filter* query* namespace* computername* property* cimsession*",
        run::run_get_wmi,
    ),
    cmdlet("Remove-WmiObject rwmi Remove-CimInstance rcim", "inputobject* class* query* path*", run::run_remove_wmi),
    cmdlet(
        "Add-Type",
        "typedefinition* memberdefinition* assemblyname* path* literalpath* language* name* namespace* \
         referencedassemblies* usingnamespace* passthru outputassembly* outputtype* ignorewarnings",
        run::run_add_type,
    ),
    cmdlet("New-Object", "typename* argumentlist* args* comobject* property* strict", run::run_new_object),
    cmdlet("Stop-Process spps kill", "id* name* processname* inputobject* force passthru", system::run_stop_process),
    cmdlet("Set-ExecutionPolicy", "executionpolicy* scope* force", system::run_policy),
    cmdlet("Get-Credential", "credential* username* message* title*", system::run_credential),
    cmdlet(
        "ConvertFrom-SecureString Get-Secret Get-StoredCredential",
        "securestring* asplaintext key* securekey* name* vault* target*",
        system::run_secure_string,
    ),
    cmdlet("ConvertTo-SecureString", "string* asplaintext force key* securekey*", pipeline::run_text),
];

const REQUEST: &str = "uri* method* body* infile* outfile* headers* form* contenttype* usebasicparsing useragent* \
    timeoutsec* credential* sessionvariable* websession* token* authentication* skipcertificatecheck \
    maximumredirection* proxy* usedefaultcredentials disablekeepalive passthru resume custommethod* \
    maximumretrycount* retryintervalsec* statuscodevariable* responseheadersvariable* skiphttperrorcheck \
    skipheadervalidation allowunencryptedauthentication followrellink transferencoding* certificate* \
    certificatethumbprint* httpversion* sslprotocol* noproxy preserveauthorizationonredirect";
const WHERE: &str = "property* value* filterscript* inputobject* eq* ne* gt* ge* lt* le* like* notlike* match* \
    notmatch* contains* notcontains* in* notin* is* isnot* ceq* cne* clike* cmatch* ieq* ilike* imatch* not*";

/// Cmdlets by their names and aliases in lower case.
pub(super) static CMDLETS: LazyLock<HashMap<String, &CmdletDef>> = LazyLock::new(|| {
    TABLE
        .iter()
        .flat_map(|def| def.names.split_whitespace().map(move |name| (name.to_ascii_lowercase(), def)))
        .collect()
});

/// Verbs of cmdlets that only look.
pub(super) const READING_VERBS: &str = "get test measure select format show find compare resolve convertto convertfrom \
    search ping wait trace debug assert should read import out join split group sort describe context it";

/// Cmdlets that change the machine.
pub(super) struct SystemCmdlets {
    pub(super) names: &'static str,
    pub(super) kind: OperationKind,
    pub(super) action: &'static str,
    pub(super) tags: &'static [OperationTag],
}

const fn changes(names: &'static str, kind: OperationKind, action: &'static str) -> SystemCmdlets {
    SystemCmdlets { names, kind, action, tags: &[] }
}

pub(super) static SYSTEM_CMDLETS: &[SystemCmdlets] = &[
    changes(
        "stop-service spsv start-service sasv restart-service set-service remove-service new-service suspend-service \
         resume-service",
        System,
        "service",
    ),
    SystemCmdlets {
        names: "register-scheduledtask unregister-scheduledtask disable-scheduledtask enable-scheduledtask \
            set-scheduledtask start-scheduledtask register-scheduledjob unregister-scheduledjob new-jobtrigger \
            register-wmievent set-wmiinstance new-ciminstance register-cimindicationevent",
        kind: System,
        action: "schedule",
        tags: &[Startup],
    },
    changes("restart-computer stop-computer suspend-computer", System, "power"),
    changes(
        "format-volume clear-disk initialize-disk remove-partition new-partition resize-partition set-disk set-partition \
         new-volume reset-physicaldisk remove-virtualdisk remove-storagepool mount-diskimage dismount-diskimage \
         optimize-volume repair-volume diskpart format",
        System,
        "disk",
    ),
    changes(
        "new-localuser set-localuser remove-localuser enable-localuser disable-localuser rename-localuser \
         new-localgroup remove-localgroup add-localgroupmember remove-localgroupmember set-localgroup new-aduser \
         set-aduser remove-aduser set-adaccountpassword add-adgroupmember enable-adaccount disable-adaccount \
         unlock-adaccount remove-ad* reset-computermachinepassword",
        System,
        "users",
    ),
    changes(
        "set-netfirewall* new-netfirewallrule remove-netfirewallrule disable-netfirewallrule enable-netfirewallrule \
         set-mppreference add-mppreference remove-mppreference uninstall-windowsfeature disable-windowsdefender*",
        System,
        "firewall",
    ),
    changes(
        "set-dnsclient* disable-netadapter* enable-netadapter* restart-netadapter new-netipaddress remove-netipaddress \
         set-netipaddress set-netconnectionprofile new-netroute remove-netroute set-netipinterface \
         add-vpnconnection remove-vpnconnection new-netnat",
        System,
        "network",
    ),
    changes(
        "clear-eventlog remove-eventlog limit-eventlog clear-history clhy clear-winevent* new-eventlog",
        System,
        "logs",
    ),
    changes(
        "disable-computerrestore remove-wbbackup* restore-computer remove-computerrestore* \
         remove-wbpolicy",
        System,
        "backup",
    ),
    changes(
        "enable-psremoting disable-psremoting set-wsmanquickconfig set-wsmaninstance enable-wsmancredssp \
         enable-windowsoptionalfeature disable-windowsoptionalfeature install-windowsfeature set-date set-timezone \
         rename-computer add-computer remove-computer disable-bitlocker suspend-bitlocker enable-bitlocker \
         disable-bitlockerautounlock set-smbserver* new-smbshare remove-smbshare grant-smbshareaccess set-culture \
         set-winsystemlocale set-psrepository register-psrepository import-certificate import-pfxcertificate \
         remove-appxpackage remove-appxprovisionedpackage add-appxpackage uninstall-package add-windowscapability \
         remove-windowscapability set-processmitigation set-vmhost remove-vm stop-vm  \
         register-pssessionconfiguration set-pssessionconfiguration mount-registryhive",
        System,
        "settings",
    ),
    changes("setx bcdedit secedit", System, "settings"),
    changes("enter-pssession etsn new-pssession nsn connect-pssession", Privilege, "remote_session"),
    changes(
        "get-bitlockerkeyprotector* get-laps* get-adreplaccount export-bitlocker* get-azaccesstoken \
         get-azkeyvaultsecret get-secsecretvalue get-ssmparametervalue",
        Secret,
        "print_token",
    ),
];
