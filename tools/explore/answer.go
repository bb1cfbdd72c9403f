package explore

import (
	"cmp"
	"encoding/json"
	"net/http"

	"hence/internal/fault"
)

// statuses are the HTTP statuses by error code. Other codes are internal errors.
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

// refusalCodes are the error codes of requests that are refused before a call, by HTTP status,
// if it is not invalid_argument: codes of package fault, or of their own for missing rights.
var refusalCodes = map[int]string{
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              string(fault.NotFound),
	http.StatusRequestEntityTooLarge: string(fault.TooLarge),
	http.StatusTooManyRequests:       string(fault.Unavailable),
	http.StatusInternalServerError:   string(fault.Internal),
	http.StatusServiceUnavailable:    string(fault.Unavailable),
}

// Refuse answers a request that is refused before a call, in the format of the errors of calls.
func Refuse(w http.ResponseWriter, status int, message string) {
	writeError(w, status, cmp.Or(refusalCodes[status], string(fault.InvalidArgument)), message)
}

// refuse answers a request with an error of a call.
func refuse(w http.ResponseWriter, code fault.Code, message string) {
	writeError(w, statusOf(code), string(code), message)
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	raw, _ := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": message}}) // cannot fail: they are strings
	respond(w, status, raw)
}

func respond(w http.ResponseWriter, status int, raw json.RawMessage) {
	secure(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the client may be gone
}
