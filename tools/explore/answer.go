package explore

import (
	"encoding/json"
	"net/http"

	"hence/internal/fault"
)

// statuses are those of errors. Where there is none, the fault is ours.
var statuses = map[fault.Code]int{
	"":                    http.StatusOK,
	fault.InvalidArgument: http.StatusBadRequest,
	fault.Ambiguous:       http.StatusBadRequest,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.Exists:          http.StatusConflict,
	fault.Cycle:           http.StatusConflict,
	fault.ReadOnly:        http.StatusForbidden,
	fault.OutsideVault:    http.StatusForbidden,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

func statusOf(code fault.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// refusals are the codes of answers that no call gave: those of fault where
// one fits, and two words of HTTP for those who may not come in.
var refusals = map[int]string{
	http.StatusBadRequest:            string(fault.InvalidArgument),
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              string(fault.NotFound),
	http.StatusMethodNotAllowed:      string(fault.InvalidArgument),
	http.StatusRequestEntityTooLarge: string(fault.TooLarge),
	http.StatusUnsupportedMediaType:  string(fault.InvalidArgument),
	http.StatusTooManyRequests:       string(fault.Unavailable),
	http.StatusInternalServerError:   string(fault.Internal),
	http.StatusServiceUnavailable:    string(fault.Unavailable),
}

// Refuse answers a request for the API that does not come as far as a call, in
// the form that errors of calls have.
func Refuse(w http.ResponseWriter, status int, message string) {
	told(w, status, refusals[status], message)
}

func refuse(w http.ResponseWriter, code fault.Code, message string) {
	told(w, statusOf(code), string(code), message)
}

func told(w http.ResponseWriter, status int, code, message string) {
	raw, _ := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": message}}) // strings only
	respond(w, status, raw)
}

func respond(w http.ResponseWriter, status int, raw json.RawMessage) {
	secure(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // who does not take the answer misses it
}
