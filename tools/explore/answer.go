package explore

import (
	"encoding/json"
	"net/http"

	"hence/internal/fault"
)

// statuses are the HTTP statuses of error codes. Other codes are internal
// errors.
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
	fault.OutcomeUnknown:  http.StatusGatewayTimeout,
}

func statusOf(code fault.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// refusals are the codes of errors that occur before a call: codes of fault
// where one fits, and two words of HTTP for missing rights.
var refusals = map[int]string{
	http.StatusBadRequest:            string(fault.InvalidArgument),
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              string(fault.NotFound),
	http.StatusMethodNotAllowed:      string(fault.InvalidArgument),
	http.StatusNotAcceptable:         string(fault.InvalidArgument),
	http.StatusRequestEntityTooLarge: string(fault.TooLarge),
	http.StatusUnsupportedMediaType:  string(fault.InvalidArgument),
	http.StatusTooManyRequests:       string(fault.Unavailable),
	http.StatusInternalServerError:   string(fault.Internal),
	http.StatusServiceUnavailable:    string(fault.Unavailable),
}

// Refuse answers a request that does not get as far as a call, in the form of
// the errors of calls.
func Refuse(w http.ResponseWriter, status int, message string) {
	writeError(w, status, refusals[status], message)
}

func refuse(w http.ResponseWriter, code fault.Code, message string) {
	writeError(w, statusOf(code), string(code), message)
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	raw, _ := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": message}}) // strings only
	respond(w, status, raw)
}

func respond(w http.ResponseWriter, status int, raw json.RawMessage) {
	secure(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the client may be gone
}
