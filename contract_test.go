package hence_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clauses names the tests that hold each clause of the contract about names, lists,
// times, types, direction and search.
var clauses = []struct {
	clause string
	tests  []string
}{
	{"A memory is named by id, short id, prefix, uri, path, title, title in other case, symbol, tried in this order", []string{
		"TestASymbolIsNamedByItsNameAndByItsFile", "TestFind", "TestFindTriesItsRulesInOrder", "TestFindByThePathOfANoteWithoutAFile", "TestSameTitleFoldsAsUnicodeDoes", "TestShortID",
	}},
	{"The short id is printed beside titles, and a name that is both a short id and a prefix is ambiguous", []string{
		"TestShortIDsInTextsNameTheirMemories", "TestShortIDThatIsAPrefixIsAmbiguous",
	}},
	{"Several matches: ambiguous, with up to 5 candidates, with kind, date and first words", []string{"TestFindAmbiguous", "TestCandidatesSayWhatTheyAre"}},
	{"None: not_found, with up to 3 near titles", []string{"TestFindNotFoundShowsNearTitles", "TestNearTitlesAgreeWithASearchOfAll"}},
	{"Storing under a title that is taken says so", []string{"TestStoringUnderATakenTitleSaysSo"}},
	{"A confined caller learns nothing of other namespaces", []string{"TestFindKeepsToItsNamespace", "TestConfined_EveryTool"}},
	{"Lists: returned_count, truncated and next; pages without gap or repeat", []string{
		"TestListPagesHoldEachMemoryOnce", "TestLogPagesHoldEachChangeOnce", "TestPages_GiveEverythingOnce",
		"TestSearch_PagesHaveEachMemoryOnce", "TestSearch_PagesOfMany", "TestSearch_PagesWithinABudget", "TestTruncatedExactlyAtLimit",
	}},
	{"A cursor is of one list", []string{
		"TestACursorIsOfOneList", "TestSearch_CursorsOfOtherQuestions", "TestConflicts_RefusesAnotherListsCursor", "TestDoubtful_RefusesAnotherListsCursor",
	}},
	{"Times on the way in: RFC 3339, dates, months, words; what does not exist is refused", []string{
		"TestParsePeriod", "TestTimes_EndsOfDatesAreTheirLastMoments", "TestContract_TimesInOrder",
	}},
	{"Types: hyphens, underscores, inverse names, upper and lower case; unknown ones list the known", []string{
		"TestLookupOfEverySpelling", "TestEveryWordMeansOneThing", "TestParseOfAnUnknownWordListsTheKnown", "TestLinkOfAnUnknownTypeListsTheKnown", "TestContract_TypesAndDirections",
	}},
	{"edge_types left out are all but mentions; origins limit expand and get_neighborhood", []string{
		"TestDeclaredIsAllButMentions", "TestExpandIsTheNaiveWalk", "TestNeighborhoodIsTheNaiveWalk",
	}},
	{"Direction: as stored, against, symmetric kinds both ways; arrows are drawn as stored", []string{
		"TestExpandIsTheNaiveWalk", "TestPathIsTheFirstOfAllPaths", "TestArrowsAreDrawnAsStored", "TestFieldArrowsAreDrawnTheWayEdgesAreStored",
	}},
	{"Two times, on search, lists and related memories", []string{"TestTimes_AgreeWithANaiveLook", "TestList_ARestoredMemoryIsNotEdited", "TestContract_TwoTimes"}},
	{"Two times, on each walk and the overview", []string{
		"TestPathAtTimes", "TestTraceAtTimes", "TestExpandIsTheNaiveWalk", "TestNeighborhoodIsTheNaiveWalk", "TestOverviewAgreesWithTheRows",
		"TestOverviewOfATimeHasWhatStoodThenAndIsStale", "TestOverviewOfATimeSaysItsBound",
	}},
	{"Project: a briefing and a prompt are told the own one and what a person marked for everywhere, and a count of others", []string{
		"TestWhoIsToldWhat", "TestWhatConcernsACallerIsAsTheReferenceSays", "TestWhoMarksANewMemoryForEverywhere",
	}},
	{"Search: filters, total_count right or a lower bound, title first, files last", []string{
		"TestSearch_AgreesWithANaiveFilter", "TestTotalCount", "TestTotalCount_OfALongQuestion", "TestPathPrefix",
		"TestASymbolIsUnderThePathOfItsFile", "TestRowsOfCodeHaveTheirFileAndLine",
	}},
}

// TestClausesOfTheContractHaveTheirTests keeps the list in step with the tests.
func TestClausesOfTheContractHaveTheirTests(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	tests := []string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(text, -1) {
			tests = append(tests, string(match[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clauses {
		for _, name := range c.tests {
			if !slices.Contains(tests, name) {
				t.Errorf("%s: there is no %s", c.clause, name)
			}
		}
	}
}
