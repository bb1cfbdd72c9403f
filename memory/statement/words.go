package statement

import "hence/internal/prose"

// common are words that say nothing about the subject of a text: see Token.Tells.
var common = prose.Words(`
a about above after again all also although always am an and any are aren't as at be because been before being
below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each
even every few for from further get gets had hadn't has hasn't have haven't having he her here hers him his how i
i'm i've if in into is isn't it it's its itself just let like make makes many may me might more most much must my
need needs never no nor not now of off often on once one only or other our ours out over own per really same shall
she should shouldn't since so some still such than that that's the their them then there there's these they this
those through to too under until up upon us use used uses using very was wasn't way we we're were weren't what when
where whether which while well want wants find finds found keep keeps going go goes know knows think thinks thing
things take takes see sees look looks looking thank thanks sure really good great nice help helps helping feel feels
give gives new time times day work working works got sound sounds let's lot
 who whom whose why will with without won't would wouldn't yet you you're your yours`)

// Fillers are words that can be left out of a sentence without a change of its meaning.
var Fillers = prose.Words(`a an the that also just please really very actually indeed simply`)

// dated are words that only say that a sentence holds now.
var dated = prose.Words(`now currently presently today nowadays instead meanwhile already recently newly update updated correction corrected anymore longer`)

// Negations turn a sentence into its opposite.
var Negations = prose.Words(`
not no never none cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't
mustn't hasn't haven't hadn't without neither nor`)

// verbs stand between a subject and its value in a sentence about a lasting state: the
// limit is 5, the service listens on 8090.
var verbs = prose.Words(`
is are be equals has have uses use runs run listens listen takes take costs cost needs need requires require wants
allows allow accepts accept holds hold contains contain supports support returns return retries retry waits wait
sleeps expires expire ends end starts start begins begin opens open closes close lasts last keeps keep serves serve
works work lives live resides stays stay sits sit stands stand weighs weigh measures measure reads writes sends
receives gets pays pay charges charge earns earn owns own employs counts count totals averages exceeds reaches
must should shall may can will defaults default becomes binds bind points point pins pin caps limits fires fire
polls poll refreshes rotates rotate happens meets meet ships ship targets target due set`)

// changed are participles that announce a new value with to: raised to 8.
var changed = prose.Words(`
changed moved raised lowered increased decreased reduced set switched bumped updated upgraded downgraded extended
shortened postponed rescheduled migrated cut dropped renamed grown risen fallen`)

// labels are words with which a number is a name rather than a measured value: floor 3.
var labels = prose.Words(`
step chapter section page line part phase stage level tier floor room rack row column shard replica node server
host machine zone region building house gate seat table figure appendix item question answer case issue ticket bug
pr task story sprint milestone episode season volume lesson exercise example option variant team group user player
experiment trial sample day week month year quarter round lap game match
iteration number no no. nr nr. id #`)

// numberWords are numbers in words. One is left out, because it is a pronoun too.
var numberWords = map[string]string{
	"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
	"fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
}

var ordinals = prose.Words(`st nd rd th`)

// months are the names of months, which join with numbers into a date.
var months = prose.Words(`
january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec`)
