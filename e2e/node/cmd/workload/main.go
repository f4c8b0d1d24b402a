// Command workload is a server whose endpoints answer, fail or hang, as it is told, and
// which writes down when each request and each signal came.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// entry is a line of what the program writes.
type entry struct {
	Time time.Time `json:"time"`
	// What is a path that was asked for, or a signal that came.
	What string `json:"what"`
	// As is how the path was answered: "fail", "hang" or nothing.
	As string `json:"as,omitempty"`
}

type server struct {
	mu     sync.Mutex
	as     map[string]string // by path
	output *json.Encoder
}

func main() {
	delay := flag.Duration("start-after", 0, "how long nothing listens at first")
	flag.Parse()
	s := &server{as: map[string]string{}, output: json.NewEncoder(os.Stdout)}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	go func() {
		s.write(entry{What: (<-ended).String()})
		os.Exit(0)
	}()
	time.Sleep(*delay) // What it stands for is the start of a slow program.
	http.HandleFunc("POST /behave", s.behave)
	http.HandleFunc("/", s.answer)
	log.Fatal(http.ListenAndServe(":8080", nil))
}

func (s *server) write(e entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Time = time.Now()
	_ = s.output.Encode(e) // There is nobody to tell.
}

// behave sets how a path is answered from now on.
func (s *server) behave(_ http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.as[r.FormValue("path")] = r.FormValue("as")
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	as := s.as[r.URL.Path]
	s.mu.Unlock()
	s.write(entry{What: r.URL.Path, As: as})
	switch as {
	case "fail":
		http.Error(w, "as I was told", http.StatusInternalServerError)
	case "hang":
		<-r.Context().Done()
	}
}
