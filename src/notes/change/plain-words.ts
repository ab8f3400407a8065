/**
 * Recognizes plain English words that titles begin with. Any other first word may be a name or a command.
 */

/** Base forms: verbs in the imperative, and the nouns, adjectives and short words that titles begin with. */
const words = new Set(
  [
    'accessibility album article backfill basket changelog channel cold console core deliver demo desk draft gateway hostile kind lifecycle lightweight live loud offset',
    'publication question ratio ready repository result scenario setting silent three usage webhook yesterday lint abort absorb abstract accelerate accept access accommodate account achieve acknowledge acquire act activate adapt add address adhere adjust',
    'adopt advance advertise advise aggregate alert align allocate allow alter amend analyse analyze anchor animate annotate announce answer',
    'anticipate append apply approve arrange ask assemble assert assign assist associate assume assure attach attempt audit authenticate author',
    'authorise authorize automate average avoid await back balance bake base batch be become begin behave bind bite block boost borrow bound',
    'branch break bridge bring broadcast browse buffer build bump bundle bypass cache calculate call cancel capitalise capitalize capture care',
    'carry cast catch cause centralise centralize chain change charge check choose chunk clamp claim clarify classify clean clear click clip clone',
    'close coalesce code collapse collect colour color combine come comment commit compare compact compensate compile complain complete compose',
    'compress compute concatenate condense conduct configure confirm conform connect consider consist consolidate constrain construct consume contain',
    'continue contribute control convert cooperate coordinate copy correct correlate count couple cover crash create crop cross customise',
    'customize cut damage deal debounce debug decide declare decline decode decompose decouple decrease decrypt dedicate deduplicate dedupe default',
    'defer define deflate degrade delay delegate delete deliver demand demonstrate demote denote deny depend deploy deprecate dereference derive',
    'describe deselect deserialise deserialize design destroy detach detect determine develop deviate diagnose differentiate direct disable disallow discard',
    'disconnect discourage discover dismiss dispatch display dispose distinguish distribute dive divide do document double download downgrade drag',
    'drain draw drive drop dump duplicate ease edit elaborate elevate eliminate embed emit emphasise emphasize employ emulate enable encapsulate encode',
    'encourage encrypt end endure enforce engage enhance enlarge enqueue enrich ensure enter entitle enumerate equalise equalize erase escape establish',
    'estimate evaluate evict evolve examine exceed exchange exclude execute exempt exercise exhaust exist exit expand expect expire explain explicitly',
    'explore export expose express extend extract face fade fail fake fall fasten favour favor feed fetch fight fill filter finalise finalize find',
    'finish fire fit fix flag flatten flip float flush focus fold follow forbid force forget fork form format forward free freeze fulfil fulfill fuse',
    'gain gate gather generalise generalize generate get give go grab grant group grow guarantee guard guess guide halt halve handle hang harden hash have',
    'head heal help hide highlight hint hit hoist hold honor honour hook hop host hover identify idle ignore illustrate imitate implement imply import improve',
    'include incorporate increase increment indent index indicate infer inflate inform ingest inherit inhibit initialise initialize inject inline input',
    'insert inspect install instantiate instruct instrument integrate interact intercept internalise internalize interpolate interpret interrupt',
    'introduce invalidate inverse invert investigate invite invoke involve isolate issue iterate join judge jump justify keep kick kill know label lack',
    'land last latch launch lay lead leak learn leave lend let level leverage lift like limit line link list listen live load localise localize locate lock',
    'log look loop loosen lose lower maintain make manage mandate manipulate map mark mask match materialise materialize maximise maximize mean measure',
    'meet memoise memoize mend mention merge migrate mimic minify minimise minimize mirror miss mitigate mix mock model modernise modernize modify',
    'modularise modularize monitor mount move multiply mutate mute name narrow navigate need negate negotiate nest normalise normalize note notice',
    'notify number obey observe obtain occur offer omit only open operate optimise optimize order organise organize output overflow overhaul overlap',
    'override overwrite own pace pack package pad page paint parallelise parallelize parameterise parameterize parse partition pass paste patch pause pay',
    'penalise penalize perform permit persist pick pin ping pipe place plan play plug point poll polish pool pop populate port position postpone power',
    'practise practice precede precompute predict prefer prefetch prefix prepare prepend preload preserve press pretend prettify prevent preview print',
    'prioritise prioritize process produce profile program progress prohibit promote prompt propagate propose protect prove provide provision prune publish',
    'pull punch purge push put qualify quarantine query queue quit quote raise randomise randomize range rank rate reach react read rearrange',
    'reassemble rebase rebuild recalculate recall receive recheck reclaim recognise recognize recommend recompute reconcile reconnect reconsider record recover',
    'recreate recycle redirect redo redraw reduce refactor refer refine reflect reformat refresh refuse regard regenerate register regroup regulate reject',
    'relate relax relay release relocate rely remain remember remind remove rename render renew reopen reorder reorganise reorganize repair repeat',
    'rephrase replace replay replicate report represent reproduce request require rerun reschedule rescue reserve reset reshape resize resolve respect',
    'respond restart restore restrict restructure result resume retain retire retrieve retry return reuse reveal reverse revert review revise revisit',
    'revoke revive rework rewrite rise roll rotate round route run sample sanitise sanitize satisfy save say scale scan schedule scope score scrape',
    'scroll seal search secure see seed seek segment select send separate sequence serialise serialize serve set settle setup shadow shape share',
    'sharpen shift ship shorten show shrink shuffle shut sign signal silence simplify simulate skip sleep slice slide slim slow smooth snapshot solve sort',
    'source spawn speak specify speed spell split sponsor spread stabilise stabilize stack stage stamp standardise standardize start state stay steal step',
    'stick stop store stream streamline strengthen stress stretch strip structure style submit subscribe substitute subtract succeed suggest summarise',
    'summarize supply support suppress surface surround suspend swallow swap switch sync synchronise synchronize synthesise synthesize tag tail tailor take taint',
    'talk target teach tear tell terminate test think throttle throw tick tidy tie tighten time tint toggle tolerate touch track trade train transfer',
    'transform translate transmit transpose trap traverse treat trigger trim truncate trust try tune turn tweak type typeset uncomment underline undo unify uninstall',
    'unite unpack update upgrade uplift upload upstream use utilise utilize vacuum validate value vary vendor verify version view visit visualise visualize vote wait',
    'wake walk want warm warn wash watch weaken wire wish work wrap write yield zero zip zoom',
    'a about above abnormal absent absolute acceptable accessible accidental according accurate across active actual ad additional adequate after',
    'again against ahead all almost alone along already also alternate alternative although always ambiguous an and annoying another any anyone anything app',
    'application apparent appropriate arbitrary are argument array as asynchronous at atomic attribute automatic auxiliary available backend background backport',
    'backup bad bare basic because before behaviour behavior being below benchmark best better between beyond big binary bit blank body bold bogus boolean both',
    'bottom breadcrumb brief broken browser bug bulk button by bytes can cannot careful case certain character child class cleanup client column command',
    'common communication compatibility compatible completion complex component conciseness concurrent condition conditional config configuration confusing',
    'connection consistent constant container content context convenient cookie coverage critical cross current cursor custom daily dark data database date',
    'day dead deadlock dependency deep description desktop detail developer dialog different dirty documentation domain dot dropdown due during dynamic each',
    'earlier early easy editor either element email empty endpoint english entire entry environment error even event eventual every everything exact example',
    'excessive existing expensive experimental explicit expression extension extra factory false fast faster feature few field file final finally first fixture flaky',
    'flexible folder font for foreign fresh friendly from front frontend full function further future general generic global good grammar graceful graph',
    'great half handler hard hardcode header headless heavy height here hidden high history home hot hourly how huge icon id idempotent identical if illegal image',
    'immediate important impossible improper in inaccurate inclusive incompatible incomplete inconsistent incorrect independent individual infinite initial inner',
    'instance instead integer integration intermittent internal invalid is it its item job just key keyboard language large later latest layer layout',
    'leading least left legacy length less library light limited line literal little local logger logic long loose lot low machine macro main major',
    'manual many markup master maximum may memory menu message meta method metric migration minimal minimum minor misc missing mobile mode module',
    'monthly more most mouse much multi multiple must mutable mutual name native nearby necessary negative nested network never new next nice nit no node non none nor',
    'normal not nothing notification now null object obsolete odd of off offline old on once one online open optional or original other our out outdated outer',
    'overall own page panel parallel parameter parent part partial particular password path pattern peer per performance permission',
    'persistent person phantom phone phrase picture placeholder plain platform player please plugin policy poor popup possible post potential',
    'precise preliminary premature preparation present previous primary prior private probable problem project proper property protocol provider proxy public',
    'pure query quick quiet race random rapid rare raw readme real reason recent recursive redundant reference regression regular related relative',
    'reliable remaining remote repeated replacement required resource response right robust root router row rule runtime safe same schema screen script second',
    'secret section security self sensible separate server service session several shared short should shell sidebar similar simple since single site size small smart',
    'smaller so soft some something sometimes sound space spare sparse special specific spelling stable stale standalone standard static statistics status still',
    'storage strange strict string strong stub stuff stupid sub subtle such sudden suitable super superfluous sure symbol synchronous syntax system table technical',
    'template temporary temporarily text than that the their them theme then there these they thing third this thorough those thread through timeout tiny tip title to today',
    'together token too tool toolbar tooltip top total trailing translation transient transparent tree trivial true truly two typo ugly unable',
    'under unique unit unix unless unlikely until up upcoming upper upfront upon user useful useless user usual valid variable various verbose very via visible visual volume warning',
    'way we weak web weekly weird well what when whenever where whether which while white whitespace who whole why wide widget width wild window with within without word worker worse',
    'wrong year yet you your zone',
    'admin animation annotation audio avatar banner bar basis bill board bookmark border budget calendar camera campaign card cart category cell chart chat',
    'checkbox checkout circle clipboard clock coin comma company contact contract contrast conversation counter country coupon credit currency customer',
    'dashboard deadline deposit device diagram dictionary digit discount disk distance drawer duration energy estimate everybody exception favorite',
    'feedback flow footer gallery gap gift guest headline holiday image inbox ingredient interval inventory invoice legend letter location',
    'margin marker market measurement meeting member milestone money month nickname notebook office owner participant passenger passkey payment percentage',
    'photo pixel playlist price printer priority product quality quantity quota rating reader receipt recipe recipient reminder reservation sale sensor',
    'sheet shop signature slider slot snippet speaker spinner station stock student subscription supplier survey tab tariff tax team temperature thumbnail',
    'ticket timer timetable timezone topic traffic trip tutorial unread username vehicle video viewer visitor voice voucher wallet week weekday winter',
    'wizard workspace zoom',
    "aren't can't cannot couldn't doesn't didn't don't hasn't haven't isn't it's let's shouldn't there's wasn't won't wouldn't you're",
  ].flatMap((line) => line.split(' ')),
);
const maxWordLength = 24;
const prefixes = /^(?:un|re|de|dis|pre|auto|over|mis|non|sub|co|inter|under|up|down|out)(?=[a-z]{3})/;
/** Endings of inflected forms. Each ending is listed with the letters that replace the ending in the base form. */
const endings = [
  ['s', ''],
  ['es', ''],
  ['ies', 'y'],
  ['d', ''],
  ['ed', ''],
  ['ied', 'y'],
  ['ing', ''],
  ['ing', 'e'],
  ['er', ''],
  ['er', 'e'],
  ['ers', ''],
  ['ly', ''],
  ['ily', 'y'],
  ['y', 'e'],
  ['al', ''],
  ['ally', ''],
  ['able', ''],
  ['able', 'e'],
  ['ment', ''],
  ['ments', ''],
  ['ness', ''],
  ['ation', ''],
  ['ation', 'e'],
  ['ations', 'e'],
  ['ion', ''],
  ['ion', 'e'],
  ['ions', ''],
  ['ions', 'e'],
  ['ication', 'y'],
] as const;
const doubled = /([b-df-hj-np-tvwxz])\1(?:ed|ing|er|ers|able)$/;
/** Irregular forms, which the rules in `endings` do not cover. */
const irregular = new Set(
  'added began begun been bought brought broke broken built came caught chose chosen did does done drawn drove fell felt found froze frozen gave given gone got grew grown had has held hid hung kept knew known laid led left lost made meant met paid ran said sat saw seen sent shown shrunk spent split spun stood swapped taken thought threw thrown told took torn understood was went were withdrawn woke won wore worn wrote written wrong'.split(
    ' ',
  ),
);

/** Whether a lower-case word is a plain English word, in any of its usual forms. */
export function isPlainWord(word: string): boolean {
  const plain = word.replace('’', "'");
  if (plain.length > maxWordLength) return false;
  return isKnown(plain) || isKnown(plain.replace(prefixes, ''));
}

function isKnown(word: string): boolean {
  if (words.has(word) || irregular.has(word) || words.has(word.replace(doubled, '$1'))) return true;
  return endings.some(
    ([ending, instead]) => word.endsWith(ending) && words.has(word.slice(0, -ending.length) + instead),
  );
}
