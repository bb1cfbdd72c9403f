package httpserve

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"hence/internal/db"
	"hence/tools/skills"
)

const (
	versionOfBatches = "2025-03-26" // the only version in which several messages may come as one list
	maxBatch         = 100          // messages of a list, because one request counts once for the rate
)

// exact returns a handler that answers with the ids that came, and lists of messages with lists of
// answers. mcp-go reads a number as a float64, which changes ids above 2^53, and takes no lists.
func exact(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body) // in memory already, see withLimits
		if err != nil {
			refuse(w, r, http.StatusBadRequest, "the body cannot be read")
			return
		}
		version := r.Header.Get(mcp.HeaderProtocolVersion) // later versions have to send it
		if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' && (version == "" || version == versionOfBatches) {
			serveBatch(next, w, r, body)
			return
		}
		serveMessage(next, w, r, body)
	})
}

// serveMessage serves one message. Where its id would change, another one stands for it.
func serveMessage(next http.Handler, w http.ResponseWriter, r *http.Request, body []byte) {
	if answer := skills.Answer(body); answer != nil {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, db.JSON(answer)) // a client that is gone reads nothing
		return
	}
	var message map[string]json.RawMessage
	if json.Unmarshal(body, &message) == nil && changes(message["id"]) {
		id := string(message["id"])
		stand := strconv.Quote("hence id " + id)
		message["id"] = json.RawMessage(stand)
		body, w = []byte(db.List(message)), &idWriter{w, []byte(`"id":` + stand), []byte(`"id":` + id)}
	}
	one := r.Clone(r.Context())
	one.Body, one.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	next.ServeHTTP(w, one)
}

// changes reports whether an id is a number that a float64 does not keep as it is written.
func changes(id json.RawMessage) bool {
	var number float64
	if json.Unmarshal(id, &number) != nil {
		return false
	}
	again, err := json.Marshal(number)
	return err == nil && !bytes.Equal(again, id) && string(id) != "null"
}

// idWriter replaces an id in an answer.
type idWriter struct {
	http.ResponseWriter
	stand, id []byte
}

func (w *idWriter) Write(part []byte) (int, error) {
	_, err := w.ResponseWriter.Write(bytes.ReplaceAll(part, w.stand, w.id))
	return len(part), err
}

func (w *idWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

func (w *idWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serveBatch serves the messages of a list one after another, and answers with the list of their
// answers. An unknown session fails the whole list, at its first message; a malformed message fails alone.
func serveBatch(next http.Handler, w http.ResponseWriter, r *http.Request, body []byte) {
	var messages []json.RawMessage
	if err := json.Unmarshal(body, &messages); err != nil || len(messages) == 0 || len(messages) > maxBatch {
		refuse(w, r, http.StatusBadRequest, "a batch is a list of 1 to "+strconv.Itoa(maxBatch)+" messages")
		return
	}
	answers := []json.RawMessage{}
	for _, message := range messages {
		a := &kept{header: http.Header{}}
		serveMessage(next, a, r, message)
		if failure := a.failure(message); failure != nil {
			answers = append(answers, failure)
			continue
		}
		if a.code >= http.StatusBadRequest {
			w.WriteHeader(a.code)
			_, _ = w.Write(a.body.Bytes()) // the client may be gone
			return
		}
		answers = append(answers, a.messages()...)
	}
	if len(answers) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answers)
}

// kept holds the answer to one message of a list.
type kept struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *kept) Header() http.Header            { return a.header }
func (a *kept) WriteHeader(code int)           { a.code = code }
func (a *kept) Write(part []byte) (int, error) { return a.body.Write(part) }
func (a *kept) Flush()                         {}

// failure returns the error that answers a malformed message, with the message's own id if it has one;
// nil for any other answer.
func (a *kept) failure(message []byte) json.RawMessage {
	var answer, its map[string]json.RawMessage
	if a.code != http.StatusBadRequest || json.Unmarshal(a.body.Bytes(), &answer) != nil || answer["error"] == nil {
		return nil
	}
	answer["id"] = json.RawMessage("null")
	if json.Unmarshal(message, &its) == nil && its["id"] != nil && its["id"][0] != '{' && its["id"][0] != '[' {
		answer["id"] = its["id"]
	}
	return json.RawMessage(db.JSON(answer))
}

// messages returns the answer, which may stand among notifications in a stream of events. It
// leaves these out.
func (a *kept) messages() (all []json.RawMessage) {
	for line := range strings.Lines(a.body.String()) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
		var message struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(line), &message) == nil && message.ID != nil {
			all = append(all, json.RawMessage(line))
		}
	}
	return all
}
