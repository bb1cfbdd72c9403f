package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"hence/internal/ref"
	"hence/memory/recall"
	"hence/memory/recall/near"
)

// newOffice returns a searcher over a store in which most words are common.
func newOffice(t testing.TB, n int) recall.Searcher {
	rows := [][4]string{
		{"note", "Job Queue", "Workers drain the rows of sales.", `["Work queue", "jq"]`},
		{"decision", "Rows for nine years", "The ledger keeps every reservation for nine years.", `[]`},
		{"fact", "Redis", "It holds the sessions.", `[]`},
		{"note", "Notes", "About the ledger and the notes of sales.", `[]`},
		{"fact", "Backend address", "PocketBase listens at port 8090 of the gateway.", `[]`},
		{"fact", "Gateway limits", "Five attempts, then the gateway waits.", `[]`},
		{"file", "Payment plan.pdf", "", `[]`},
		{"turn", "Turn 12", "PocketBase on port 8090 again.", `[]`},
		{"fact", "知识管理", "别的东西", `[]`},
		{"note", norm.NFD.String("Ωρολόγιο πρόγραμμα"), "Ferries.", `["Йодный раствор"]`},
	}
	for i := range n {
		rows = append(rows, [4]string{"note", fmt.Sprintf("Meeting %d", i), "We fix the test, update notes of sales, and change the ledger and the code. " + strings.Repeat("More talk. ", i%5), `[]`})
	}
	return storeRows(t, rows...)
}

func TestRecognise(t *testing.T) {
	s := newOffice(t, 400)
	for _, c := range []struct {
		name, prompt string
		except       []string
		want         []string
	}{
		{"Title", "why is the job queue so slow?", nil, []string{"Job Queue"}},
		{"TitleInSigns", "see \"Job Queue\".", nil, []string{"Job Queue"}},
		{"Alias", "Drop the work queue, please", nil, []string{"Job Queue"}},
		{"ShortAlias", "what does jq do", nil, nil},
		{"RareWordAlone", "is redis up?", nil, []string{"Redis"}},
		{"CommonWordAlone", "update the notes", nil, nil},
		{"LongestNameFirst", "rows for nine years, or the job queue", nil, []string{"Rows for nine years", "Job Queue"}},
		{"TwoRareWords", "is pocketbase still on 8090", nil, []string{"Backend address"}},
		{"OneRareWord", "what of pocketbase", nil, nil},
		{"NothingRare", "fix the test and change the code of the ledger", nil, nil},
		{"Seen", "why is the job queue so slow?", []string{"Job Queue"}, nil},
		{"AFile", "open the payment plan.pdf", nil, nil},
		{"Number", "meeting 17 and meeting 18 and meeting 19 and meeting 20", nil, []string{"Meeting 17", "Meeting 18", "Meeting 19"}},
		{"OtherAccents", "το ΩΡΟΛΟΓΙΟ ΠΡΟΓΡΑΜΜΑ;", nil, []string{norm.NFD.String("Ωρολόγιο πρόγραμμα")}},
		{"AliasInAnotherForm", "где " + norm.NFD.String("йодный раствор"), nil, []string{norm.NFD.String("Ωρολόγιο πρόγραμμα")}},
		{"Nothing", "", nil, nil},
		{"OnlySigns", `"(" - * NEAR/2 :`, nil, nil},
		{"Long", strings.Repeat("fix the test of the code ", 400) + "job queue", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			except := []string{}
			for _, title := range c.except {
				except = append(except, idOf(t, s, title))
			}
			recognised, err := near.Finder(s).Recognise(t.Context(), near.RecogniseArgs{Prompt: c.prompt, Except: except})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range recognised {
				got = append(got, f.Title)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A caller who is confined to one namespace gets no memories of others.
func TestRecognise_Confined(t *testing.T) {
	s := newOffice(t, 5)
	s.Caller = ref.Caller{Namespace: "other", Confined: true}
	if recognised, err := near.Finder(s).Recognise(t.Context(), near.RecogniseArgs{Prompt: "why is the job queue so slow, pocketbase 8090?"}); err != nil || len(recognised) > 0 {
		t.Errorf("found %v, %v", recognised, err)
	}
}

func idOf(t *testing.T, s recall.Searcher, title string) string {
	t.Helper()
	result, err := s.Search(t.Context(), recall.SearchArgs{Query: title, Limit: 1})
	if err != nil || len(result.Results) == 0 {
		t.Fatalf("%s: %v", title, err)
	}
	return result.Results[0].ID
}
